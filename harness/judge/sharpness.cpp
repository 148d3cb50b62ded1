// Right values with an error in them, shown to budgets and tolerances.
#include "harness/judge/sharpness.h"

#include <cmath>
#include <limits>

#include "harness/base/check.h"

namespace assay {
namespace {

struct Tolerance {
  double absolute = 0, relative = 0;
};

// https://docs.pytorch.org/docs/stable/testing.html
Tolerance of_torch(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return {1e-5, 1.3e-6};
    case DType::bf16:
      return {1e-5, 1.6e-2};
    case DType::f16:
      return {1e-5, 1e-3};
    case DType::u32:
    case DType::u64:
    case DType::u8:
      return {};
  }
  ASSAY_CHECK(false, "unknown dtype");
}

double largest_error(const SharpnessSample& sample) {
  double largest = 0;
  for (int64_t i = 0; i < sample.want.count(); ++i) {
    const double right = sample.want.value[static_cast<size_t>(i)];
    if (!sample.want.is_known(i) || !std::isfinite(right)) continue;
    const DType dtype = sample.want.dtype;
    const double error = std::fabs(to_double(dtype, from_double(dtype, static_cast<double>(sample.plain[i]))) - right);
    if (!(error <= largest)) largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  return largest;
}

// One rule on one tensor.
class Looker {
 public:
  Looker(Rule rule, const SharpnessSample& sample) : want_(sample.want), plain_(sample.plain), rule_(rule) {
    if (rule == Rule::torch) tolerance_ = of_torch(want_.dtype);
    if (rule == Rule::twice) tolerance_ = {2 * largest_error(sample), 0};
    if (rule == Rule::kernelbench) tolerance_ = {1e-2, 1e-2};
  }

  // Whether the element is another one when it is off by the factor 1 + e.
  bool changes(int64_t i, double e) const {
    return want_.is_known(i) && std::isfinite(value(i)) && changed(i, e) != want_.right_bits(i) &&
           !want_.is_alternative(i, changed(i, e));
  }
  // Where plain f32 itself is off by more, the right value is rounding noise, and nobody can tell.
  bool is_computable(int64_t i, double e) const {
    return std::fabs(static_cast<double>(plain_[i]) - value(i)) <= e * std::fabs(value(i));
  }
  bool tells(int64_t i, double e) const {
    if (rule_ == Rule::assay) return want_.compare(i, changed(i, e)).error_over_budget > 1;
    const double error = std::fabs(to_double(want_.dtype, changed(i, e)) - value(i));
    return !(error <= tolerance_.absolute + tolerance_.relative * std::fabs(value(i)));
  }
  bool tells_any(double e) const {
    for (int64_t i = 0; i < want_.count(); ++i)
      if (changes(i, e) && tells(i, e)) return true;
    return false;
  }

 private:
  double value(int64_t i) const { return want_.value[static_cast<size_t>(i)]; }
  uint64_t changed(int64_t i, double e) const { return from_double(want_.dtype, value(i) * (1 + e)); }

  const ExpectedTensor& want_;
  const RefTensor<float>& plain_;
  Rule rule_;
  Tolerance tolerance_ = {};
};

}  // namespace

std::string_view name(Rule rule) {
  static constexpr std::array kNames{"assay", "torch", "2x", "1e-2"};  // as in the enum
  return kNames.at(static_cast<size_t>(rule));
}

int64_t told_only_by(Rule rule, size_t step, const SharpnessSample& sample) {
  const Looker theirs(rule, sample), ours(Rule::assay, sample);
  const double e = Sharpness::kSteps[step];
  int64_t elements = 0;
  for (int64_t i = 0; i < sample.want.count(); ++i)
    elements += ours.changes(i, e) && ours.is_computable(i, e) && !ours.tells(i, e) && theirs.tells(i, e);
  return elements;
}

void Sharpness::add(const SharpnessSample& sample) {
  const Looker looker(rule_, sample);
  while (finest_ < kFinest && looker.tells_any(std::ldexp(1.0, -finest_ - 1))) ++finest_;
  for (size_t step = 0; step < kSteps.size(); ++step)
    for (int64_t i = 0; i < sample.want.count(); ++i) {
      if (!looker.changes(i, kSteps[step]) || !looker.is_computable(i, kSteps[step])) continue;
      ++elements_[step];
      told_[step] += looker.tells(i, kSteps[step]);
    }
}

double Sharpness::told(size_t step) const {
  return static_cast<double>(told_[step]) / static_cast<double>(elements_[step]);
}

}  // namespace assay
