// EXPECT: MISMATCH. The token with which the sum reaches p goes, unless it is the first.
// SMALLEST: f32 rows=1 V=2
// TWIN: The token with which the sum reaches p stays.
#include "harness/selftest/places.cuh"

template <class T>
__global__ void top_p_mask(const T* probs, bool* kept, int64_t vocab, float p) {  // both: (gridDim.x, vocab)
  probs += blockIdx.x * vocab;
  kept += blockIdx.x * vocab;
  for (int64_t v = threadIdx.x; v < vocab; v += blockDim.x) {
    float before = 0;
    bool is_first = true;
    for (int64_t other = 0; other < vocab; ++other) {
      if (!assay::selftest::comes_before(probs[other], other, probs[v], v)) continue;
      before += static_cast<float>(probs[other]);
      is_first = false;
    }
    kept[v] = is_first || p >= 1 || before + (ASSAY_PLANTED ? static_cast<float>(probs[v]) : 0) < p;
  }
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() {
    assay::selftest::mask_in_two_launches<T>(call, "probs", 0.0f, top_p_mask<T>, call.real("p"));
  });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "top_p_mask",
                              .name = ASSAY_PLANTED ? "crossing_dropped" : "crossing_kept",
                              .dtypes = {assay::DType::f32, assay::DType::bf16, assay::DType::f16},
                              .blocks = {32, 64},
                              .unsupported = assay::selftest::too_long,
                              .workspace_bytes = assay::selftest::a_flag_per_element,
                              .run = run});
