// EXPECT: PASS. Of ties at the cut the first stay, as many as there is room for.
#include "harness/selftest/places.cuh"

namespace {

template <class T>
__global__ void top_k_mask(const T* logits, bool* kept, int64_t vocab, int64_t k) {  // both: (gridDim.x, vocab)
  logits += blockIdx.x * vocab;
  kept += blockIdx.x * vocab;
  for (int64_t v = threadIdx.x; v < vocab; v += blockDim.x) {
    int64_t place = 0;
    for (int64_t other = 0; other < vocab; ++other)
      place += assay::selftest::comes_before(logits[other], other, logits[v], v);
    kept[v] = place < k;
  }
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() {
    assay::selftest::mask_in_two_launches<T>(call, "logits", -INFINITY, top_k_mask<T>, call.dim("k"));
  });
}

const assay::RegisterVariant kVariant({.op = "top_k_mask",
                                       .name = "first_ties_kept",
                                       .summary = "keeps exactly k",
                                       .blocks = {32, 64},
                                       .unsupported = assay::selftest::too_long,
                                       .workspace_bytes = assay::selftest::a_flag_per_element,
                                       .run = run});

}  // namespace
