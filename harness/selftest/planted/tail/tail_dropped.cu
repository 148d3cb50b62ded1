// EXPECT: MISMATCH NONFINITE. Rows longer than a block are summed up to the last multiple of the block only.
// SMALLEST: f32 rows=1 cols=33 block=32
// TWIN: Rows are summed to their end.
#include "harness/selftest/rows.cuh"

namespace {

template <class T>
__global__ void softmax(const T* x, T* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
#if ASSAY_PLANTED
  const int64_t summed = cols > blockDim.x ? cols / blockDim.x * blockDim.x : cols;
  const float total = assay::selftest::row_total(x, summed, maximum, scratch);
#else
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
#endif
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
    y[c] = static_cast<T>(expf(static_cast<float>(x[c]) - maximum) / total);
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() { assay::selftest::launch_rows<T>(call, softmax<T>); });
}

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = ASSAY_PLANTED ? "tail_dropped" : "tail_kept",
                                       .summary = ASSAY_PLANTED ? "leaves the last columns out of the sum"
                                                                : "sums rows to their end",
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
