// Fills: kinds of data, each named by the bug it reveals. One file per fill in fills/, registered in the file itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/rng.h"
#include "harness/tensor/dtype.h"

namespace assay {

// The facts that a fill has about its tensor: a last dimension of `cols` (1 for a scalar) and `count` elements.
struct FillTarget {
  DType dtype = DType::f32;
  int64_t count = 0;
  int64_t cols = 1;
  double magnitude = 0;  // largest |value| for which the op's f32 intermediates stay finite; from the contract
};

struct Fill {
  std::string name;
  std::string reveals;            // one sentence: the bug that this kind of data finds
  bool has_nan = false;           // some elements are NaN
  bool has_infinity = false;      // some elements are infinite
  bool for_exponentials = false;  // of use to ops with exponentials alone (Contract::exponentials)
  bool exact = false;  // true: sums of products of such data are exact in f32 in every order (small integers)
  // Every value takes so many draws of the generator and depends on nothing else, so that parts of a large tensor are
  // made at once (counter.h); 0: on more than that.
  int draws = 0;

  // Writes count values; each is then rounded to the tensor's dtype. Values must be a function of the generator alone.
  std::function<void(const FillTarget& target, Rng& rng, std::vector<double>& values)> make;
};

struct RegisterFill {
  explicit RegisterFill(Fill fill);
};

const std::vector<Fill>& fills();  // sorted by name
const Fill* find_fill(std::string_view name);

// Standard normal by the sum of twelve uniforms less six (Irwin–Hall): no transcendental whose last bit could differ
// between libraries, and bounded by 6.
double normal(Rng& rng);

}  // namespace assay
