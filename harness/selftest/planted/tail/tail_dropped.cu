// EXPECT: MISMATCH NONFINITE. Rows longer than a block are summed up to the last multiple of the block only.
// SMALLEST: f32 rows=1 cols=33 block=32
// TWIN: Rows are summed to their end.
#include "harness/selftest/rows.cuh"

template <class T>
__global__ void softmax(const T* x, T* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const int64_t summed = ASSAY_PLANTED && cols > blockDim.x ? cols / blockDim.x * blockDim.x : cols;
  const float total = assay::selftest::row_total(x, summed, maximum, scratch);
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
    y[c] = static_cast<T>(expf(static_cast<float>(x[c]) - maximum) / total);
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() { assay::selftest::run_rows<T, softmax<T>>(call); });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "softmax_forward",
                              .name = ASSAY_PLANTED ? "tail_dropped" : "tail_kept",
                              .dtypes = {assay::DType::f32, assay::DType::bf16, assay::DType::f16},
                              .run = run});
