// EXPECT: UNWRITTEN. The number of elements is narrowed to 32 bits for the grid: too few blocks are launched.
// SMALLEST: alias=none block=32
// SUITE: huge
// TWIN: The grid follows from all 64 bits.
#include "harness/selftest/planted_kernel.cuh"

using Count = std::conditional_t<ASSAY_PLANTED, uint32_t, int64_t>;

// dout, da, db: (count)
__global__ void split(const float* dout, float* da, float* db, int64_t count) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) da[i] = db[i] = dout[i];
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  const auto items = static_cast<Count>(count);
  if (items == 0) return;
  assay::launch(split, assay::device::thread_for_each(call, items), call.in<float>("dout"), call.out<float>("da"),
                call.out<float>("db"), count);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "residual_add_backward", .name = ASSAY_PLANTED ? "grid_is_narrowed" : "grid_is_whole", .run = run});
