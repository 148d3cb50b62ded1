// Regions that ops on caches and on rows with padding share.
#pragma once

#include "harness/op/contract.h"

namespace assay::ops::kv_cache {

// Elements `pad` at the end of each of `rows` rows of `cols`, which hold NaN and are never read.
inline Regions dead_pads(int64_t rows, int64_t cols, int64_t pad) {
  Regions regions;
  regions.mark_columns(rows, cols, cols - pad, cols, Region::dead);
  return regions;
}

// Marks the slots first … last-1 of each head, in a cache of `heads` heads of `capacity` slots of `lanes` elements.
inline void mark_slots(Regions& regions, int64_t heads, int64_t capacity, int64_t lanes, int64_t first, int64_t last,
                       Region region) {
  regions.mark_columns(heads, capacity * lanes, first * lanes, last * lanes, region);
}

}  // namespace assay::ops::kv_cache
