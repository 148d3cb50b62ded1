// EXPECT: NONFINITE. Whatever is not smaller than the k-th largest element stays, so that ties at the cut do.
// SMALLEST: f32 rows=1 V=2 k=1
// TWIN: Of ties at the cut the first stay, as many as there is room for.
#include "harness/selftest/places.cuh"

template <class T>
__global__ void top_k_mask(const T* logits, bool* kept, int64_t vocab, int64_t k) {  // both: (gridDim.x, vocab)
  logits += blockIdx.x * vocab;
  kept += blockIdx.x * vocab;
  for (int64_t v = threadIdx.x; v < vocab; v += blockDim.x) {
    int64_t before = 0;
    for (int64_t other = 0; other < vocab; ++other)
      before += assay::selftest::comes_before(logits[other], other, logits[v], ASSAY_PLANTED ? other : v);
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
                              .name = ASSAY_PLANTED ? "all_ties_kept" : "first_ties_kept",
                              .dtypes = {assay::DType::f32, assay::DType::bf16, assay::DType::f16},
                              .blocks = {32, 64},
                              .unsupported = assay::selftest::too_long,
                              .workspace_bytes = assay::selftest::a_flag_per_element,
                              .run = run});
