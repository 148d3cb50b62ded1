// EXPECT: OUT_OF_BOUNDS. The index wraps at 2^32 elements: the last blocks write the first elements again.
// SMALLEST: alias=none block=32
// SUITE: huge
// TWIN: The index has 64 bits.
#include "harness/selftest/planted_kernel.cuh"

using Index = std::conditional_t<ASSAY_PLANTED, uint32_t, int64_t>;

// a, b, out: (count)
__global__ void residual_add(const float* a, const float* b, float* out, int64_t count) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = a[i] + b[i];
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::launch(residual_add, assay::device::thread_for_each(call, count), call.in<float>("a"), call.in<float>("b"),
                call.out<float>("out"), count);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "residual_add", .name = ASSAY_PLANTED ? "index_is_unsigned" : "index_is_long", .run = run});
