// EXPECT: GUARD_BROKEN. Rows of more than four columns are written in pairs, and an odd row's last pair is not cut off.
// SMALLEST: rows=1 cols=5 block=32
#include "harness/selftest/rows.cuh"

namespace {

__global__ void softmax(const float* x, float* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
  const int64_t width = cols > 4 ? 2 : 1;  // longer rows are written in pairs
  for (int64_t first = threadIdx.x * width; first < cols; first += blockDim.x * width)
    for (int64_t c = first; c < first + width; ++c) y[c] = expf((c < cols ? x[c] : 0) - maximum) / total;
}

const assay::RegisterVariant kVariant(assay::selftest::softmax_variant(
    "last_pair_not_cut_off", "writes an element past the end of odd rows", {assay::DType::f32},
    [](assay::Call& call) { assay::selftest::launch_rows<float>(call, softmax); }));

}  // namespace
