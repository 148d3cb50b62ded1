// EXPECT: MISMATCH PROPERTY. The dot product is summed again for every column: in place, of what is left of dp.
// SMALLEST: T=2 H=1 alias=ds:dp block=32
// TWIN: The dot product is there before the first column is written.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/head_major.cuh"

// A thread per row; w, dp, ds: (heads, width, width)
__global__ void rows(const float* w, const float* dp, float* ds, int64_t heads, int64_t tokens, int64_t width,
                     float scale) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, i = n % tokens;
  if (n >= heads * tokens) return;
  const int64_t row = assay::device::score_row(n / tokens, i, width);
  float dot = 0;
  for (int64_t j = 0; j <= i; ++j) dot += w[row + j] * dp[row + j];
  for (int64_t j = 0; j < tokens; ++j) {
#if ASSAY_PLANTED
    dot = 0;
    for (int64_t m = 0; m <= i; ++m) dot += w[row + m] * dp[row + m];
#endif
    ds[row + j] = j <= i ? scale * w[row + j] * (dp[row + j] - dot) : 0;
  }
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("T");
  assay::launch(rows, assay::device::thread_for_each(call, heads * tokens), call.in<float>("w"), call.in<float>("dp"),
                call.out<float>("ds"), heads, tokens, call.dim("aw"), call.real("scale"));
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "causal_softmax_backward", .name = ASSAY_PLANTED ? "dot_summed_again" : "dot_summed_before", .run = run});
