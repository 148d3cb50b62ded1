// The common parts of planted kernels of kv_cache_write: a thread per element of the slot, keys and values by the same
// kernel.
#pragma once

#include "harness/op/variant.h"

namespace assay::selftest {

// row: (heads, lanes), the last of them padding behind `dim`  cache: (heads, capacity, lanes)
struct Slot {
  const float* row;
  float* cache;
  int64_t heads, capacity, lanes, dim, slot;
};

inline void launch_slots(const Call& call, void (*write)(Slot)) {
  for (const auto& [row, cache] : {std::pair("k", "k_cache"), std::pair("v", "v_cache")}) {
    const Slot slot{call.in<float>(row), call.out<float>(cache),           call.dim("HK"),  call.dim("capacity"),
                    call.dim("ad"),      call.dim("ad") - call.dim("pad"), call.dim("slot")};
    launch(write, {.grid = dim3(ceil_div(slot.heads * slot.lanes, call.block())), .block = dim3(call.block())}, slot);
  }
}

}  // namespace assay::selftest
