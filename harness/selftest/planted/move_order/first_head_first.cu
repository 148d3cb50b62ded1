// EXPECT: MISMATCH PROPERTY. Heads move from the first to the last, each onto what has yet to move.
// SMALLEST: HK=3 ad=1 block=32
// TWIN: right.
#include "harness/op/variant.h"

namespace {

// One block; cache: head h moves from h * row to h * stride.
__global__ void repack(float* cache, int64_t heads, int64_t row, int64_t stride) {
#if ASSAY_PLANTED
  for (int64_t h = 1; h < heads; ++h)
#else
  for (int64_t h = heads - 1; h > 0; --h)
#endif
    for (int64_t end = row; end > 0; end -= blockDim.x) {
      const int64_t i = end - 1 - threadIdx.x;
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

const assay::RegisterVariant kVariant({.op = "kv_cache_repack",
                                       .name = ASSAY_PLANTED ? "first_head_first" : "last_head_first",
                                       .summary = ASSAY_PLANTED ? "moves the heads from the first to the last"
                                                                : "moves the heads from the last to the first",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
