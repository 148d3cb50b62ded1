// EXPECT: MISMATCH PROPERTY. Heads move from the first to the last, each onto what has yet to move.
// SMALLEST: HK=3 ad=1 block=32
// TWIN: right.
#include "harness/selftest/planted_kernel.cuh"

// One block; cache: head h moves from h * row to h * stride.
__global__ void repack(float* cache, int64_t heads, int64_t row, int64_t stride) {
  for (int64_t n = 1; n < heads; ++n)
    for (int64_t end = row; end > 0; end -= blockDim.x) {
      const int64_t h = ASSAY_PLANTED ? n : heads - n, i = end - 1 - threadIdx.x;
      const float held = i >= 0 ? cache[h * row + i] : 0;
      __syncthreads();
      if (i >= 0) cache[h * stride + i] = held;
      __syncthreads();
    }
}

void run(assay::Call& call) {
  const int64_t lanes = call.dim("ad");
  assay::launch(repack, {.grid = dim3(1), .block = dim3(call.block())}, call.out<float>("cache"), call.dim("HK"),
                call.dim("T") * lanes, call.dim("capacity") * lanes);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "kv_cache_repack", .name = ASSAY_PLANTED ? "first_head_first" : "last_head_first", .run = run});
