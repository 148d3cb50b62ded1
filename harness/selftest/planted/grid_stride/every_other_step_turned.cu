// EXPECT: UNWRITTEN. A thread goes on by twice the threads of the grid, so half of what the first step leaves is never
// turned: seen where the grid has fewer threads than there are pairs.
// SMALLEST: T=1 H=1 block=32 grid=1
// TWIN: A thread goes on by the threads of the grid.
#include <algorithm>

#include "harness/op/variant.h"

namespace {

__global__ void rope(const float* x, const float* inv_freq, float* out,  // x, out: (tokens, heads, 2 half)
                     int64_t tokens, int64_t heads, int64_t half, int64_t offset, float sign) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
#if ASSAY_PLANTED
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < tokens * heads * half; i += 2 * step) {
#else
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < tokens * heads * half; i += step) {
#endif
    const int64_t d = i % half, head = i / half, first = head * 2 * half + d, second = first + half;
    const float angle = static_cast<float>(head / heads + offset) * inv_freq[d], c = cosf(angle),
                s = sign * sinf(angle);
    out[first] = x[first] * c - x[second] * s;
    out[second] = x[second] * c + x[first] * s;
  }
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), heads = call.dim("H"), half = call.dim("D") / 2;
  if (tokens == 0) return;
  constexpr int64_t kBlocksMax = 65535;
  const int64_t blocks = std::min<int64_t>(assay::ceil_div(tokens * heads * half, call.block()), kBlocksMax);
  assay::launch(rope, {.grid = dim3(call.grid(blocks)), .block = dim3(call.block())}, call.in<float>("x"),
                call.in<float>("inv_freq"), call.out<float>("out"), tokens, heads, half, call.dim("pos_offset"),
                call.text("direction") == "backward" ? -1.0f : 1.0f);
}

const assay::RegisterVariant kVariant({.op = "rope",
                                       .name = ASSAY_PLANTED ? "every_other_step_turned" : "every_step_turned",
                                       .summary = ASSAY_PLANTED ? "skips every other step of its grid"
                                                                : "takes every step of its grid",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
