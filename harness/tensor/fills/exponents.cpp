// Rows of what exponentials overflow and underflow at, in f32, f16 and to base 2: all of a row, one of it, or spread.
//
// exp overflows beyond 88.7 in f32 and bf16 and 11.1 in f16, and is 0 below -104 and -17.4; to base 2 at 128 and 16,
// and below -150 and -25. Differences of two such numbers are as far beyond. The tensor's largest magnitude holds here
// too.
#include <algorithm>
#include <array>

#include "harness/tensor/fill.h"

namespace {

constexpr std::array kLevels = {60.0, 87.0, 89.0, 110.0, 11.0, 17.5, 129.0, 160.0};

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  // For a whole row below 0, the counterpart of 89, where exp overflows, is where it is 0.
  constexpr double kOverflows = 89, kVanishes = 110;
  for (int64_t row = 0; row < target.count; row += target.cols) {
    // Half of the rows have one of the first four levels, which f32 and bf16 feel.
    double level = kLevels.at(rng.below(rng.below(2) == 0 ? 4 : kLevels.size()));
    const double sign = rng.below(4) == 0 ? -1 : 1;
    const uint64_t kind = rng.below(4);
    if (sign < 0 && level == kOverflows && kind % 3 == 0) level = kVanishes;
    level = std::min(level, target.magnitude);
    const auto one = static_cast<int64_t>(rng.below(static_cast<uint64_t>(target.cols)));
    for (int64_t column = 0; column < target.cols; ++column) {
      const double uniform = static_cast<double>(rng.below(1 << 16)) / (1 << 15) - 1, small = assay::normal(rng);
      double& value = values[static_cast<size_t>(row + column)];
      if (kind == 0)
        value = sign * level;  // all equal
      else if (kind == 1)
        value = column == one ? sign * level : small;  // one dominates, or is far below
      else if (kind == 2)
        value = level * uniform;  // spread
      else
        value = sign * level - small;  // all of them near the level
      value = std::clamp(value, -target.magnitude, target.magnitude);
    }
  }
}

const assay::RegisterFill kFill({.name = "exponents",
                                 .reveals = "an exponential of large or far apart numbers: a maximum that is not "
                                            "subtracted, sums of a narrow type, a sigmoid that overflows",
                                 .for_exponentials = true,
                                 .make = make});

}  // namespace
