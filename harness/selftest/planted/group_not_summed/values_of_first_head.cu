// EXPECT: MISMATCH PROPERTY. dx has of the values the first head only.
// SMALLEST: H=2 HK=2 ad=1 aE=1 T=1 biases=none dw=overwrite block=32
// TWIN: dx has all heads of q, k and v.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/qkv_project_backward.cuh"

using namespace assay::device;

// A thread for each element of dx (tokens, ins).
__global__ void make_dx(QkvBackward<float> all) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= all.size.tokens * all.size.ins) return;
  const int64_t t = i / all.size.ins, e = i % all.size.ins;
  if (ASSAY_PLANTED) all.each[2].heads = 1;
  float sum = 0;
  for (const ProjectionGradient<float>& p : all.each)
    for (int64_t h = 0; h < p.heads; ++h)
      for (int64_t d = 0; d < all.size.lanes; ++d) sum += p.dy[all.size.dy_at(h, t, d)] * p.w[all.size.w_at(h, d, e)];
  all.dx[i] = sum;
}

// A thread for each element of dW (heads, lanes, ins), which also sums db where it has the first of a row.
__global__ void make_dw(ProjectionGradient<float> p, const float* x, QkvBackwardSizes size) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= p.heads * size.lanes * size.ins) return;
  const int64_t row = i / size.ins, e = i % size.ins, h = row / size.lanes, d = row % size.lanes;
  const bool sums_bias = e == 0 && p.db != nullptr;
  float sum = size.accumulates ? p.dw[i] : 0, bias = sums_bias && size.accumulates ? p.db[row] : 0;
  for (int64_t t = 0; t < size.tokens; ++t) {
    sum += p.dy[size.dy_at(h, t, d)] * x[t * size.ins + e];
    bias += p.dy[size.dy_at(h, t, d)];
  }
  p.dw[i] = sum;
  if (sums_bias) p.db[row] = bias;
}

void run(assay::Call& call) {
  const QkvBackward<float> all = qkv_backward<float>(call);
  const QkvBackwardSizes& size = all.size;
  if (size.tokens > 0) assay::launch(make_dx, thread_for_each(call, size.tokens * size.ins), all);
  for (const ProjectionGradient<float>& p : all.each)
    assay::launch(make_dw, thread_for_each(call, p.heads * size.lanes * size.ins), p, all.x, size);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "qkv_project_backward",
                              .name = ASSAY_PLANTED ? "values_of_first_head" : "values_of_all_heads",
                              .blocks = {32, 64, 128},
                              .run = run});
