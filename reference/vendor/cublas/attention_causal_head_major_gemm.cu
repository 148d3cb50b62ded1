// attention_causal_head_major as two batches of products by cuBLAS, a product for each group of heads, around a softmax
// of ours.
//
// Every pair of query and key has a score in the workspace, and its full work, whether causality hides it or not. The
// hidden ones have the weight 0, which would spread a NaN of v.
#include "harness/op/variant.h"
#include "harness/tensor/fill.h"
#include "reference/vendor/cublas/attention_forward.cuh"

namespace {

using namespace assay::vendor;
using assay::Case;

GroupedHeads heads_of(const Case& c) { return {c, c.dim("T"), c.dim("T"), c.dim("T")}; }

int64_t workspace_bytes(const Case& c) { return forward_workspace_bytes(heads_of(c)); }

std::optional<std::string> unsupported(const Case& c) {
  if (assay::find_fill(c.fill)->has_nan) return "multiplies hidden pairs by 0, which leaves a NaN a NaN";
  return no_products();
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() {
    attend(call, heads_of(call.c()), /*causal=*/true, call.out<T>("probs"), call.dim("aw"));
  });
}

const assay::RegisterVariant kVariant(
    {.op = "attention_causal_head_major",
     .name = "cublas_gemm",
     .summary = "products of whole matrices by cuBLAS, group after group, and a softmax",
     .aligned = 16,
     .vendor = "cuBLAS",
     .rounds = {"p_normalised"},
     .unsupported = unsupported,
     .workspace_bytes = workspace_bytes,
     .run = run});

}  // namespace
