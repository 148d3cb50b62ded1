// EXPECT: MISMATCH. The token with which the sum reaches p goes, unless it is the first.
// SMALLEST: f32 rows=1 V=2
// TWIN: The token with which the sum reaches p stays.
#include "harness/selftest/places.cuh"

namespace {

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
#if ASSAY_PLANTED
    kept[v] = is_first || p >= 1 || before + static_cast<float>(probs[v]) < p;
#else
    kept[v] = is_first || p >= 1 || before < p;
#endif
  }
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() {
    assay::selftest::mask_in_two_launches<T>(call, "probs", 0.0f, top_p_mask<T>, call.real("p"));
  });
}

const assay::RegisterVariant kVariant({.op = "top_p_mask",
                                       .name = ASSAY_PLANTED ? "crossing_dropped" : "crossing_kept",
                                       .summary = ASSAY_PLANTED ? "masks the token that crosses p"
                                                                : "keeps the token that crosses p",
                                       .blocks = {32, 64},
                                       .unsupported = assay::selftest::too_long,
                                       .workspace_bytes = assay::selftest::a_flag_per_element,
                                       .run = run});

}  // namespace
