// attention_decode as two batches of products by cuBLAS, a product for each group of heads, around a softmax of ours.
//
// The query heads of a group are the rows of its matrix, so that each key and value is read once for all of them.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/attention_rows.cuh"
#include "reference/vendor/cublas/grouped_heads.h"
#include "reference/vendor/workspace.h"

namespace {

using namespace assay::vendor;
using assay::Case;

GroupedHeads heads_of(const Case& c) { return {c, 1, c.dim("kv_tokens"), c.dim("capacity")}; }

int64_t score_bytes(const Case& c) { return align_workspace(heads_of(c).pairs() * int64_t{sizeof(float)}); }

// Weights of f32 replace the scores.
int64_t workspace_bytes(const Case& c) {
  return score_bytes(c) + (c.dtype == assay::DType::f32 ? 0 : heads_of(c).pairs() * 2);
}

std::optional<std::string> unsupported(const Case&) { return no_products(); }

template <class T>
void run_in(const assay::Call& call) {
  const GroupedHeads a = heads_of(call.c());
  auto* const scores = call.workspace<float>();
  T* p = reinterpret_cast<T*>(call.workspace<char>() + score_bytes(call.c()));
  if constexpr (std::is_same_v<T, float>) p = scores;
  a.multiply_rows(a.scale(), call.in<void>("q"), call.in<void>("k"), scores);
  assay::launch(softmax_pairs<T>, block_per_row(a.all_rows()), scores, p, nullptr, a.all_rows(), a.keys, 0, false);
  a.sum_keys(1, p, call.in<void>("v"), call.out<void>("out"));
  launch_clear_padding(call.out<T>("out"), a.all_rows(), a.dim, a.lanes);
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() { run_in<T>(call); });
}

const assay::RegisterVariant kVariant(
    {.op = "attention_decode",
     .name = "cublas_gemm",
     .summary = "a product by cuBLAS for each group of heads, around a softmax of ours",
     .aligned = 16,
     .vendor = "cuBLAS",
     .rounds = {"p_normalised"},
     .unsupported = unsupported,
     .workspace_bytes = workspace_bytes,
     .run = run});

}  // namespace
