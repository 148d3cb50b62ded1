// How small an error the judge's budgets detect, beside the tolerances of others; from expected values alone, no kernel
// runs.
//
// Two figures for each written tensor of a case: the smallest e for which all right elements times (1 + e), rounded to
// the tensor's dtype, are detected; and how many elements are detected when they alone are 1 % or 10 % off, of those
// that a plain f32 computation has right to within as much. The others are rounding noise, such as the gradient of a
// query that sees one key.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/judge/expected.h"

namespace assay {

// The source of a tolerance. An element is detected where !(|got - right| <= tolerance).
enum class Rule : uint8_t {
  assay,  // the budget
  torch,  // atol + rtol·|right| of torch.testing.assert_close's defaults for the dtype (PyTorch 2)
  twice,  // flash-attention's tests: twice the largest error that a plain computation makes anywhere in the tensor;
          // here the reference in f32, rounded to the dtype, which errs less than theirs in the dtype
  kernelbench,  // atol = rtol = 1e-2, as in KernelBench (Ouyang et al., 2025)
};
inline constexpr std::array kRules = {Rule::assay, Rule::torch, Rule::twice, Rule::kernelbench};

std::string_view name(Rule rule);

// A written tensor of one case.
struct SharpnessSample {
  const ExpectedTensor& want;
  const RefTensor<float>& plain;  // the reference in f32
};

// How many elements, each off alone by Sharpness::kSteps[step], a rule detects and the budget does not.
int64_t told_only_by(Rule rule, size_t step, const SharpnessSample& sample);

// The errors that one rule detects in one output, over some cases.
class Sharpness {
 public:
  static constexpr int kFinest = 30;  // e goes down to 2^-kFinest
  static constexpr std::array kSteps = {0.01, 0.1};

  explicit Sharpness(Rule rule) : rule_(rule) {}

  void add(const SharpnessSample& sample);

  // k of the smallest e = 2^-k that was detected in any case; -1 when not even e = 1 was.
  int finest() const { return finest_; }
  // Elements that can be off: known, finite, other than they are when changed by the step, and right to within the step
  // in plain f32. told() is the share detected among them.
  int64_t elements(size_t step) const { return elements_[step]; }
  double told(size_t step) const;  // a share from 0 to 1; NaN without elements

 private:
  Rule rule_;
  int finest_ = -1;
  std::array<int64_t, kSteps.size()> elements_ = {}, told_ = {};
};

}  // namespace assay
