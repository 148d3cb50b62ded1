// The common parts of planted kernels of kv_cache_write: a thread per element of the slot, keys and values by the same
// kernel.
#pragma once

#include "harness/selftest/planted_kernel.cuh"

namespace assay::selftest {

// row: (heads, lanes), the last of them padding behind `dim`  cache: (heads, capacity, lanes)
struct Slot {
  const float* row;
  float* cache;
  int64_t heads, capacity, lanes, dim, slot;
};

template <void (*write)(Slot)>
void run_slots(const Call& call) {
  for (const auto& [row, cache] : {std::pair("k", "k_cache"), std::pair("v", "v_cache")}) {
    const Slot slot{call.in<float>(row), call.out<float>(cache),           call.dim("HK"),  call.dim("capacity"),
                    call.dim("ad"),      call.dim("ad") - call.dim("pad"), call.dim("slot")};
    launch(write, device::thread_for_each(call, slot.heads * slot.lanes), slot);
  }
}

}  // namespace assay::selftest
