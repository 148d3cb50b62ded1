// The results that a right kernel may write: the reference's value of every element, and its error budget.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/op/composite.h"
#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

// The budget is kBudgetFactor standard deviations of the tracked rounding errors, plus half a unit in the last place of
// the output's dtype.
struct ExpectedTensor {
  std::string name;
  std::string formula = {};  // of the contract's, in which the reference was computed; empty: the canonical one
  DType dtype = DType::f32;
  std::vector<int64_t> shape = {};
  std::vector<double> value = {};   // of the reference in double
  std::vector<double> budget = {};  // largest honest |got - value|; 0 where every right kernel gives the same result;
                                    // infinity where the reference left the element out
  std::vector<uint64_t> bits = {};  // for ops that only move elements: compared instead of value and budget
  std::map<int64_t, uint64_t> alternatives = {};  // bits that are right too, of elements that a close decision settles

  int64_t count() const { return static_cast<int64_t>(value.size()); }
  bool is_known(int64_t i) const { return std::isfinite(budget[static_cast<size_t>(i)]); }
  uint64_t right_bits(int64_t i) const;  // the element nearest to the reference's value
  bool is_alternative(int64_t i, uint64_t got_bits) const;
};

// Elements begin … end-1.
struct ElementRange {
  int64_t begin = 0, end = 0;
};

// Ascending ranges that hold every known element, and of a large case, of which the reference computed a few rows,
// little else: what judges elements passes over these.
std::vector<ElementRange> known_ranges(const ExpectedTensor& want);

using Expected = std::vector<ExpectedTensor>;  // the written tensors, in the contract's order

// The precision and the mask that a variant declares, for as long as the object lives.
TrackedPrecision declared_precision(const Variant& variant, const Case& c);

// The formulas, of their own ops, by which steps of a composite are computed; those not listed by the canonical one.
using StepFormulas = std::map<std::string, std::string>;

// Has the reference of each step of the case computed as its variant declares. Holds on to `whole` and `c`.
AroundStep as_declared(const Variant& whole, const Case& c, StepFormulas formulas = {});

// The results that a composite's variant may write whose steps are computed by these formulas.
Expected expect_steps(const Contract& contract, const Variant& whole, const Case& c, const Tensors& given,
                      const StepFormulas& formulas);

// The declarations as an adapter writes them, with commas between: `rounds = ["p"], ftz = true`. Empty for plain f32.
std::string declarations_of(const Variant& variant);

Expected expect(const Contract& contract, const Variant& variant, const Case& c, const Tensors& given,
                std::string_view formula = {});

// Outputs that the variant does not make (Variant::omits) become those of a right kernel, so that what is judged over
// all outputs judges the others.
bool is_omitted(const Variant& variant, std::string_view output);
void supply_omitted(const Variant& variant, const Expected& expected, Tensors& got);

struct Comparison {
  double error_over_budget = 0;  // above 1 is wrong; infinity for a wrong class or any error against a budget of 0
  bool wrong_class = false;      // NaN, infinity or finite where the mathematics wants another of them
};

// Compares one element. NaN-safe: the class of non-finite comes first, and whatever is not within budget is wrong.
Comparison compare(const ExpectedTensor& want, int64_t i, uint64_t got_bits);

// Whether every element lies within its budget.
bool fits(const ExpectedTensor& want, const Tensor& got);

// The formulas, besides the canonical one, by which the case may be computed.
std::vector<Formula> other_formulas(const Contract& contract, const Case& c);

// Outputs of `got` that miss their budgets are expected by another formula from now on, if all of the output fits that.
// Returns whether every output fits then.
bool take_fitting_formulas(const Contract& contract, const Variant& variant, const Case& c, const Tensors& given,
                           const Tensors& got, Expected& expected);

// For codes (u8) other than the reference's: expects from now on what a right kernel would have written that decides as
// `got` does, if the reference asks for that (harness/op/decided.h). Returns how many decisions of got's are right and
// not the reference's.
int64_t take_decisions(const Contract& contract, const Variant& variant, const Case& c, const Tensors& given,
                       const Tensors& got, Expected& expected);

}  // namespace assay
