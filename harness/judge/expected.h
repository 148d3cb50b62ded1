// The results that a right kernel may write: the reference's value of every element, and its error budget.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/tensor/tensor.h"

namespace assay {

// Elements begin … end-1.
struct ElementRange {
  int64_t begin = 0, end = 0;
};

struct Comparison {
  double error_over_budget = 0;  // above 1 is wrong; infinity for a wrong class or any error against a budget of 0
  bool wrong_class = false;      // NaN, infinity or finite where the mathematics wants another of them
};

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

  // Ascending ranges that hold every known element, and of a large case, of which the reference computed a few rows,
  // little else: what judges elements passes over these.
  std::vector<ElementRange> known_ranges() const;

  // Compares one element. NaN-safe: the class of non-finite comes first, and whatever is not within budget is wrong.
  Comparison compare(int64_t i, uint64_t got_bits) const;

  // Whether every element lies within its budget.
  bool fits(const Tensor& got) const;
};

using Expected = std::vector<ExpectedTensor>;  // the written tensors, in the contract's order

}  // namespace assay
