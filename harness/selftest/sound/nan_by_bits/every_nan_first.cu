// EXPECT: PASS. A NaN comes before every number, whatever its sign and payload.
#include "harness/selftest/places.cuh"

namespace {

template <class T>
__global__ void top_k_mask(const T* logits, bool* kept, int64_t vocab, int64_t k) {  // both: (gridDim.x, vocab)
  logits += blockIdx.x * vocab;
  kept += blockIdx.x * vocab;
  for (int64_t v = threadIdx.x; v < vocab; v += blockDim.x) {
    int64_t before = 0;
    for (int64_t other = 0; other < vocab; ++other)
      before += assay::selftest::comes_before(logits[other], other, logits[v], v);
    kept[v] = before < k;
  }
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() {
    assay::selftest::mask_in_two_launches<T>(call, "logits", -INFINITY, top_k_mask<T>, call.dim("k"));
  });
}

const assay::RegisterVariant kVariant({.op = "top_k_mask",
                                       .name = "every_nan_first",
                                       .summary = "a NaN of either sign comes first",
                                       .blocks = {32, 64},
                                       .unsupported = assay::selftest::too_long,
                                       .workspace_bytes = assay::selftest::a_flag_per_element,
                                       .run = run});

}  // namespace
