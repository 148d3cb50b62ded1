// kv_cache_write in plain loops: a copy, so it also runs on bare bits. The contract keeps elements that it does not
// write.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void kv_cache_write(ReferenceIo<S>& io) {
  const int64_t lanes = io.dim("ad"), dim = lanes - io.dim("pad"), slot = io.dim("slot");
  for (const auto& [row, cache] : {std::pair("k", "k_cache"), std::pair("v", "v_cache")}) {
    const auto& from = io.in(row);  // (HK, ad)
    auto& to = io.out(cache);       // (HK, capacity, ad)
    for (int64_t h = 0; h < io.dim("HK"); ++h)
      for (int64_t d = 0; d < lanes; ++d) to(h, slot, d) = d < dim ? from(h, d) : S();
  }
}

}  // namespace assay::reference
