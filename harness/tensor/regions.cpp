// Runs of marked elements, in order.
#include "harness/tensor/regions.h"

#include <algorithm>
#include <array>

#include "harness/base/check.h"

namespace assay {

std::string_view name(Region region) {
  static constexpr std::array kNames{"plain", "kept", "unspecified", "dead"};  // as in the enum
  return kNames.at(static_cast<size_t>(region));
}

void Regions::mark(int64_t begin, int64_t end, Region region) {
  if (begin >= end) return;
  // The first run is one that ends at `begin` or later: those of this region that touch the new one become part of it.
  auto run = std::lower_bound(runs_.begin(), runs_.end(), begin, [](const Run& r, int64_t at) { return r.end < at; });
  const int64_t marked_begin = begin, marked_end = end;
  while (run != runs_.end() && run->begin <= marked_end) {
    const bool overlaps = run->begin < marked_end && marked_begin < run->end;
    ASSAY_CHECK(!overlaps || run->region == region, "two regions of a tensor overlap");
    if (run->region != region) {
      ++run;
      continue;
    }
    begin = std::min(begin, run->begin);
    end = std::max(end, run->end);
    run = runs_.erase(run);
  }
  const auto place =
      std::lower_bound(runs_.begin(), runs_.end(), begin, [](const Run& r, int64_t at) { return r.begin < at; });
  runs_.insert(place, Run{begin, end, region});
}

void Regions::mark_columns(int64_t rows, int64_t cols, int64_t from, int64_t to, Region region) {
  for (int64_t row = 0; row < rows; ++row) mark(row * cols + from, row * cols + to, region);
}

int64_t Regions::count() const {
  int64_t count = 0;
  for (const Run& run : runs_) count += run.end - run.begin;
  return count;
}

bool Regions::has(Region region) const {
  return std::ranges::any_of(runs_, [&](const Run& run) { return run.region == region; });
}

Region Regions::at(int64_t i) const {
  const auto run = std::upper_bound(runs_.begin(), runs_.end(), i, [](int64_t at, const Run& r) { return at < r.end; });
  return run != runs_.end() && run->begin <= i ? run->region : Region::plain;
}

}  // namespace assay
