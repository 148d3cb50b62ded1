// Attends to one key less than the cache holds, as where the new token is not counted.
#include "reference/vendor/cublas/attention_forward.cuh"

namespace assay::vendor {
template <class T>
void attend_without_last(const Call& call, GroupedHeads heads, bool causal, T* saved, int64_t width) {
  heads.keys = heads.keys > 1 ? heads.keys - 1 : heads.keys;
  attend<T>(call, heads, causal, saved, width);
}
}  // namespace assay::vendor

#define attend attend_without_last
#include "reference/vendor/cublas/attention_decode_gemm.cu"
