// EXPECT: UNWRITTEN. A thread goes on by twice the threads of the grid, so half of what the first step leaves is never
// turned: seen where the grid has fewer threads than there are pairs.
// SMALLEST: T=1 H=1 block=32 grid=1
// TWIN: A thread goes on by the threads of the grid.
#include "harness/selftest/planted_kernel.cuh"

__global__ void rope(const float* x, const float* inv_freq, float* out,  // x, out: (tokens, heads, 2 half)
                     int64_t tokens, int64_t heads, int64_t half, int64_t offset, float sign) {
  const int64_t step = (ASSAY_PLANTED ? 2 : 1) * int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < tokens * heads * half; i += step) {
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
  assay::launch(rope, assay::device::striding(call, tokens * heads * half), call.in<float>("x"),
                call.in<float>("inv_freq"), call.out<float>("out"), tokens, heads, half, call.dim("pos_offset"),
                call.text("direction") == "backward" ? -1.0f : 1.0f);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "rope",
                              .name = ASSAY_PLANTED ? "every_other_step_turned" : "every_step_turned",
                              .any_grid = true,
                              .run = run});
