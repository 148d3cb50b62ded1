// EXPECT: OUT_OF_BOUNDS UNWRITTEN MISMATCH. The index of a parameter wraps at 2^32: the first are updated twice.
// SMALLEST: lr=1 master=none
// SUITE: huge
// TWIN: It has 64 bits.
#include "harness/selftest/adamw.cuh"

using Index = std::conditional_t<ASSAY_PLANTED, uint32_t, int64_t>;

// g, p, m, v, master: (count); master may be null
__global__ void step(const float* g, float* p, float* m, float* v, float* master, int64_t count,
                     assay::device::AdamW optimiser) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float kept = master ? master[i] : p[i];
  const float updated = optimiser.step(g[i], kept, m[i], v[i]);
  p[i] = updated;
  if (master) master[i] = updated;
}

void run(assay::Call& call) {
  const int64_t count = call.dim("N");
  if (count == 0) return;
  assay::launch(step, assay::device::thread_for_each(call, count), call.in<float>("g"), call.out<float>("p"),
                call.out<float>("m"), call.out<float>("v"), call.out<float>("master"), count,
                assay::device::optimiser_of(call));
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "adamw", .name = ASSAY_PLANTED ? "index_is_unsigned" : "index_is_long", .run = run});
