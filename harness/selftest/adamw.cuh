// One thread per parameter of adamw, for planted bugs in its step and for their twin.
#pragma once

#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/adamw.cuh"

namespace assay::selftest {

// g, p: (count)  m, v, master: (count) f32; master may be null. Weight(step, g, p, m, v, master) returns the new one.
template <class T, class Weight>
__global__ void adamw(const T* g, T* p, float* m, float* v, float* master, int64_t count, device::AdamW optimiser,
                      Weight weight) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float kept = master ? master[i] : static_cast<float>(p[i]);
  const float updated = weight(optimiser, static_cast<float>(g[i]), static_cast<float>(p[i]), kept, m[i], v[i]);
  p[i] = static_cast<T>(updated);
  if (master) master[i] = updated;
}

template <class Weight>
void run_adamw(const Call& call) {
  const int64_t count = call.dim("N");
  if (count == 0) return;
  by_dtype(call, [&]<class T>() {
    launch(adamw<T, Weight>, device::thread_for_each(call, count), call.in<T>("g"), call.out<T>("p"),
           call.out<float>("m"), call.out<float>("v"), call.out<float>("master"), count, device::optimiser_of(call),
           Weight());
  });
}

}  // namespace assay::selftest
