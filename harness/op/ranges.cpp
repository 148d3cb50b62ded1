// Where formulas begin to differ, function by function, and the count of what lies on each side.
#include "harness/op/ranges.h"

#include <algorithm>
#include <cmath>

#include "harness/base/check.h"

namespace assay {
namespace {

constexpr double kEnd = std::numeric_limits<double>::infinity();
constexpr double kBelow1 = 1 - 0x1p-53;

// The thresholds of exp: beyond the first it is infinite, below the second subnormal, below the third 0. They are the
// logarithms of what the formats hold, 2^128 and 2^16, 2^-126 and 2^-14, 2^-150 and 2^-25: exp2 differs at the same.
constexpr double kOverflow = 88.72, kSubnormal = -87.34, kZero = -103.97;
constexpr double kOverflowF16 = 11.09, kSubnormalF16 = -9.7, kZeroF16 = -17.33;
constexpr int64_t kOften = 3;  // cases in an interval, not by chance, that show that data come near the next

using Intervals = std::vector<Interval>;

Intervals of_exponent(bool f16) {
  Intervals all = {{kZero, "exp is 0"}, {kSubnormal, "subnormal"}};
  if (f16) all.insert(all.end(), {{kZeroF16, "0 in f16"}, {kSubnormalF16, "subnormal in f16"}});
  all.push_back({1, "ordinary"});
  if (f16) all.push_back({kOverflowF16, "above 1", Due::never});
  if (f16) all.push_back({kOverflow, "overflows f16", Due::after_previous});
  if (!f16) all.push_back({kOverflow, "above 1", Due::never});
  all.push_back({kEnd, "overflows", Due::after_previous});
  return all;
}

Intervals of_maximum(bool f16) {
  if (f16)
    return {{kZero, "its exp is 0"},
            {kZeroF16, "0 in f16"},
            {kOverflowF16, "ordinary"},
            {kOverflow, "overflows f16"},
            {kEnd, "overflows"}};
  return {{kZero, "its exp is 0"}, {kOverflow, "ordinary"}, {kEnd, "overflows"}};
}

// 1 - s(x) is 0 in f32 from 16.64 on, and exp(-x) is beside 1.
Intervals of_gate(bool f16) {
  constexpr double kShare = 16.64;
  Intervals all = {{-kOverflow, "exp(-x) overflows"}};
  if (f16) all.push_back({-kOverflowF16, "overflows f16"});
  all.insert(all.end(), {{kShare, "ordinary"}, {-kZero, "1 - s is 0"}, {kEnd, "exp(-x) is 0"}});
  return all;
}

// From 9.01 on tanh is 1 in f32 (libdevice), at 44.36 exp(2x) overflows, which f16's does at 5.54.
Intervals of_tanh(bool f16) {
  constexpr double kOne = 9.01;
  Intervals all = {{-kOverflow / 2, "exp(-2x) overflows"}, {-kOne, "-1"}};
  if (f16) all.push_back({-kOverflowF16 / 2, "exp(-2x) overflows f16"});
  all.push_back({f16 ? kOverflowF16 / 2 : kOne, "ordinary"});
  if (f16) all.push_back({kOne, "exp(2x) overflows f16"});
  all.insert(all.end(), {{kOverflow / 2, "1"}, {kEnd, "exp(2x) overflows"}});
  return all;
}

// A warp adds up to 32 terms, one for each lane, and needs a loop for more.
Intervals of_sum_terms() { return {{0, "none", Due::never}, {1, "one", Due::never}, {32, "a warp's"}, {kEnd, "more"}}; }

Intervals of_sum_size(bool f16) {
  if (!f16) return {{kEnd, "ordinary"}};
  return {{65504, "ordinary"}, {kEnd, "overflows f16"}};
}

Intervals intervals_for(Watched what, DType dtype) {
  const bool f16 = dtype == DType::f16;
  switch (what) {
    case Watched::exponent:
      return of_exponent(f16);
    case Watched::maximum:
      return of_maximum(f16);
    case Watched::gate:
      return of_gate(f16);
    case Watched::logarithm:
      return {{kBelow1, "below 1", Due::never}, {1, "1"}, {1 + 0x1p-10, "next to 1"}, {kEnd, "ordinary"}};
    case Watched::above_eps:
      return {{0, "0"}, {1, "less than eps"}, {0x1p24, "more than eps"}, {kEnd, "eps is lost"}};
    case Watched::least_variance:
      return {
          {0x1p-24, "lost beside mean²"}, {1e-4, "4 digits cancel"}, {1, "less than mean²"}, {kEnd, "more than mean²"}};
    case Watched::tanh:
      return of_tanh(f16);
    case Watched::erf:  // 1 in f32 from 3.92 on
      return {{-3.92, "-1"}, {3.92, "ordinary"}, {kEnd, "1"}};
    case Watched::angle:  // CUDA reduces larger ones than 105615 by another way
      return {{3.14159, "up to pi"}, {105615, "reduced"}, {kEnd, "reduced with care"}};
    case Watched::divisor:
      return {{0x1p-126, "0 or subnormal", Due::after_next}, {0x1p-20, "small", Due::never}, {kEnd, "ordinary"}};
    case Watched::power:  // 1 - beta^t is 1 from 2^-25 on, and loses digits above one half
      return {{0x1p-25, "1 - it is 1"}, {0.5, "ordinary"}, {kEnd, "1 - it cancels"}};
    case Watched::share_of_limit:
      return {{kBelow1, "below"}, {1, "equal"}, {kEnd, "above"}};
    case Watched::stored_scale:
      return {
          {0, "0"}, {0x1p-25, "0 in f16"}, {0x1p-14, "subnormal in f16"}, {65504, "ordinary"}, {kEnd, "overflows f16"}};
    case Watched::sum_terms:
      return of_sum_terms();
    case Watched::sum_size:
      return of_sum_size(f16);
    case Watched::sum_left:
      return {{0x1p-10, "cancels", Due::after_next},
              {0x1p-4, "nearly", Due::never},
              {kBelow1, "signs differ", Due::never},
              {kEnd, "one sign"}};
  }
  ASSAY_CHECK(false, "unknown function");
}

size_t interval_of(const Intervals& intervals, double number) {
  return static_cast<size_t>(std::ranges::find_if(intervals, [&](const Interval& each) { return number <= each.end; }) -
                             intervals.begin());
}

}  // namespace

std::string_view name(Watched what) {
  static constexpr std::array<std::string_view, kWatched> kNames{
      "exponent", "maximum", "gate",  "logarithm",      "above_eps",    "least_variance", "tanh",     "erf",
      "angle",    "divisor", "power", "share_of_limit", "stored_scale", "sum_terms",      "sum_size", "sum_left"};
  return kNames.at(static_cast<size_t>(what));
}

std::string_view meaning(Watched what) {
  static constexpr std::array<std::string_view, kWatched> kMeanings{"x of exp(x)",
                                                                    "a row's maximum, under its exponents",
                                                                    "x of 1/(1 + exp(-x))",
                                                                    "x of log(x)",
                                                                    "x over eps, of x + eps",
                                                                    "variance over mean²",
                                                                    "x of tanh(x)",
                                                                    "x of erf(x)",
                                                                    "size of x, of sin(x) and cos(x)",
                                                                    "size of y, of x/y",
                                                                    "beta^t of 1 - beta^t",
                                                                    "a sum over its limit",
                                                                    "size of a block's f16 scale",
                                                                    "terms of a sum",
                                                                    "a sum's magnitudes, added",
                                                                    "size of the sum over that"};
  return kMeanings.at(static_cast<size_t>(what));
}

const std::vector<Interval>& intervals_of(Watched what, DType dtype) {
  static const auto all = [] {
    std::array<std::array<Intervals, kWatched>, 3> made;
    for (const DType each : {DType::f32, DType::bf16, DType::f16})
      for (int i = 0; i < kWatched; ++i)
        made.at(static_cast<size_t>(each)).at(static_cast<size_t>(i)) = intervals_for(static_cast<Watched>(i), each);
    return made;
  }();
  return all.at(is_float(dtype) ? static_cast<size_t>(dtype) : 0).at(static_cast<size_t>(what));
}

bool is_due(const std::vector<Interval>& intervals, size_t i, const Range& range) {
  if (!range.was_called()) return false;
  switch (intervals[i].due) {
    case Due::always:
      return true;
    case Due::after_previous:
      return range.cases[i - 1] >= kOften;
    case Due::after_next:
      return range.cases[i + 1] >= kOften;
    case Due::never:
      return false;
  }
  ASSAY_CHECK(false, "unknown kind of interval");
}

Ranges::Ranges(DType dtype) : dtype_(dtype) {
  for (int i = 0; i < kWatched; ++i)
    ranges_[static_cast<size_t>(i)].cases.resize(intervals_of(static_cast<Watched>(i), dtype).size());
}

void Ranges::add(Watched what, double number) {
  if (!std::isfinite(number)) return;
  const auto at = static_cast<size_t>(what);
  Range& range = ranges_[at];
  range.least = std::min(range.least, number);
  range.largest = std::max(range.largest, number);
  seen_[at] |= uint32_t{1} << interval_of(intervals_of(what, dtype_), number);
}

void Ranges::end_case() {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    for (size_t at = 0; at < ranges_[i].cases.size(); ++at) ranges_[i].cases[at] += seen_[i] >> at & 1;
    seen_[i] = 0;
  }
}

}  // namespace assay
