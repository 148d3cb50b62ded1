// EXPECT: NONFINITE MISMATCH PROPERTY. Exponentials of scaled scores, with no maximum taken from them.
// SMALLEST: H=1 scale=1 block=32
// TWIN: The row's maximum is taken from its scores first.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/head_major.cuh"
#include "kernels/device/warp_reduce.cuh"

// A thread per row; scores, probs: (heads, width, width)
__global__ void rows(const float* scores, float* probs, int64_t heads, int64_t tokens, int64_t width, float scale) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, i = n % tokens;
  if (n >= heads * tokens) return;
  const int64_t row = assay::device::score_row(n / tokens, i, width);
  float maximum = ASSAY_PLANTED ? 0 : -INFINITY, total = 0;
  for (int64_t j = 0; !ASSAY_PLANTED && j <= i; ++j)
    maximum = assay::device::Larger()(maximum, scale * scores[row + j]);
  for (int64_t j = 0; j <= i; ++j) total += expf(scale * scores[row + j] - maximum);
  for (int64_t j = 0; j < tokens; ++j) probs[row + j] = j <= i ? expf(scale * scores[row + j] - maximum) / total : 0;
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("T");
  assay::launch(rows, assay::device::thread_for_each(call, heads * tokens), call.in<float>("scores"),
                call.out<float>("probs"), heads, tokens, call.dim("aw"), call.real("scale"));
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "causal_softmax",
                              .name = ASSAY_PLANTED ? "causal_rows_without_maximum" : "causal_rows_with_maximum",
                              .run = run});
