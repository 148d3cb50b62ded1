// EXPECT: NONFINITE. Elements are ordered by their bits, as a radix sort does, so that a NaN with its sign set comes
// after every number.
// BY PTX: PASS in bf16 because it is widened by cvt.f32.bf16, which makes one positive NaN of all
// SMALLEST: f32 rows=1 V=2 k=1 fill=nan_bits
// TWIN: A NaN comes before every number, whatever its sign and payload.
#include "harness/selftest/places.cuh"

// Grows with the number; zeros are one.
__device__ unsigned key(float x) {
  const unsigned bits = __float_as_uint(x == 0 ? 0 : x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

template <class T>
__device__ bool by_bits(T a, int64_t i, T b, int64_t j) {
  const unsigned x = key(static_cast<float>(a)), y = key(static_cast<float>(b));
  return x != y ? x > y : i < j;
}

template <class T>
__global__ void top_k_mask(const T* logits, bool* kept, int64_t vocab, int64_t k) {  // both: (gridDim.x, vocab)
  logits += blockIdx.x * vocab;
  kept += blockIdx.x * vocab;
  for (int64_t v = threadIdx.x; v < vocab; v += blockDim.x) {
    int64_t before = 0;
    for (int64_t other = 0; other < vocab; ++other)
      before += ASSAY_PLANTED ? by_bits(logits[other], other, logits[v], v)
                              : assay::selftest::comes_before(logits[other], other, logits[v], v);
    kept[v] = before < k;
  }
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() {
    assay::selftest::mask_in_two_launches<T>(call, "logits", -INFINITY, top_k_mask<T>, call.dim("k"));
  });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "top_k_mask",
                              .name = ASSAY_PLANTED ? "negative_nan_last" : "every_nan_first",
                              .dtypes = {assay::DType::f32, assay::DType::bf16, assay::DType::f16},
                              .blocks = {32, 64},
                              .unsupported = assay::selftest::too_long,
                              .workspace_bytes = assay::selftest::a_flag_per_element,
                              .run = run});
