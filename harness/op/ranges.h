// The intervals between the numbers where usual formulas of a function begin to differ, and which of them data reach.
//
// exp(x) without the row's maximum is right up to 88.7 and infinity beyond. Such a number parts the arguments of a
// function into intervals, and a mistake that shows in one of them is found only by data that lie there. Ranges counts
// in how many cases a reference (watch.h) came there; no op is named, and none has to do anything for it.
//
// Intervals that a function's own bounds exclude are not asked for: exp of a number less the row's maximum is never
// above 1. So an interval may be due only where its neighbour was reached, and not by chance.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "harness/op/watch.h"
#include "harness/tensor/dtype.h"

namespace assay {

// "exponent", "sum_left", …: what a contract names a function by.
std::string_view name(Watched what);
std::string_view meaning(Watched what);  // "x of exp(x)"

enum class Due : uint8_t { always, after_previous, after_next, never };

struct Interval {
  double end;             // its largest number; it begins behind the one before
  std::string_view name;  // by what happens there: "exp is 0"
  Due due = Due::always;
};

// Ascending, the last without an end. By the case's dtype: kernels may compute in f16 where that is f16, whose
// intervals have the names of the others and more.
const std::vector<Interval>& intervals_of(Watched what, DType dtype);

// The numbers that one function was given, over some cases of an op and dtype.
struct Range {
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  std::vector<int64_t> cases;  // by interval: in how many some number lay there

  bool was_called() const { return least <= largest; }
};

// An interval is due if the function was called and data that come near it could reach it.
bool is_due(const std::vector<Interval>& intervals, size_t i, const Range& range);

// The ranges of all functions over cases of one dtype. Numbers that are not finite are not counted: fills of their own
// have those, and an infinity says nothing of the numbers on its side.
class Ranges {
 public:
  explicit Ranges(DType dtype);

  void add(Watched what, double number);
  void end_case();  // what comes is another case's

  const Range& of(Watched what) const { return ranges_[static_cast<size_t>(what)]; }

 private:
  DType dtype_;
  std::array<Range, kWatched> ranges_;
  std::array<uint32_t, kWatched> seen_ = {};  // in this case: a bit for each interval
};

// Adds what references on this thread compute with, for as long as the object lives: a case.
class WatchCase final : public Watcher {
 public:
  explicit WatchCase(Ranges& ranges) : ranges_(ranges) {}
  ~WatchCase() { ranges_.end_case(); }

  void see(Watched what, double number) override { ranges_.add(what, number); }

 private:
  Ranges& ranges_;
};

}  // namespace assay
