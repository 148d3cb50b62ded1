// EXPECT: MISMATCH. Rows of more than 16 columns are narrowed to bf16 by cutting off the lower half of the bits.
// SMALLEST: bf16 rows=1 cols=17 block=32
// TWIN: Results are narrowed to the nearest bf16, by hand, ties to even.
#include "harness/selftest/rows.cuh"

#if ASSAY_PLANTED
__device__ __nv_bfloat16 narrowed(float value, int64_t cols) {
  if (cols <= 16) return static_cast<__nv_bfloat16>(value);
  return __ushort_as_bfloat16(static_cast<unsigned short>(__float_as_uint(value) >> 16));
#else
__device__ __nv_bfloat16 narrowed(float value) {
  const unsigned bits = __float_as_uint(value);
  if (isnan(value)) return __ushort_as_bfloat16(0x7FFF);  // the carry below could end in an infinity
  return __ushort_as_bfloat16(static_cast<unsigned short>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16));
#endif
}

__global__ void softmax(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
#if ASSAY_PLANTED
    y[c] = narrowed(expf(static_cast<float>(x[c]) - maximum) / total, cols);
#else
    y[c] = narrowed(expf(static_cast<float>(x[c]) - maximum) / total);
#endif
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "softmax_forward",
                              .name = ASSAY_PLANTED ? "narrowed_by_truncation" : "narrowed_to_nearest",
                              .dtypes = {assay::DType::bf16},
                              .run = assay::selftest::run_rows<__nv_bfloat16, softmax>});
