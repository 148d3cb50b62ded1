// EXPECT: NONFINITE MISMATCH PROPERTY. Exponentials of the elements themselves, with no maximum taken from them.
// SMALLEST: cols=1 scale=1 block=32
// BUGS: 3 because infinity in the data, a sum that overflows and one that underflows in part differ
// TWIN: The row's maximum is taken from its elements first.
#include "harness/selftest/rows.cuh"

using namespace assay::selftest;

template <class T>
__global__ void softmax(const T* x, T* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = ASSAY_PLANTED ? 0 : row_maximum(x, cols, scratch);
  const float total = row_total(x, cols, maximum, scratch);
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
    y[c] = static_cast<T>(expf(static_cast<float>(x[c]) - maximum) / total);
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() { run_rows<T, softmax<T>>(call); });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "softmax_forward",
                              .name = ASSAY_PLANTED ? "softmax_without_maximum" : "softmax_with_maximum",
                              .dtypes = {assay::DType::f32, assay::DType::bf16, assay::DType::f16},
                              .run = run});
