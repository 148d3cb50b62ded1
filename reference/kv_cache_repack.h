// kv_cache_repack in plain loops: a move within one buffer, so it also runs on bare bits. Slots from T on hold whatever
// is there.
#pragma once

#include <vector>

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void kv_cache_repack(ReferenceIo<S>& io) {
  const int64_t row = io.dim("T") * io.dim("ad");            // of a head before
  const int64_t stride = io.dim("capacity") * io.dim("ad");  // of a head after
  auto& cache = io.out("cache");                             // (HK, capacity, ad)
  const std::vector<S> before = cache.values;
  for (int64_t h = 0; h < io.dim("HK"); ++h)
    for (int64_t i = 0; i < row; ++i) cache[h * stride + i] = before[static_cast<size_t>(h * row + i)];
}

}  // namespace assay::reference
