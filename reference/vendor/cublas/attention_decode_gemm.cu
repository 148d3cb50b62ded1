// attention_decode as two batches of products by cuBLAS, a product for each group of heads, around a softmax of ours.
//
// The query heads of a group are the rows of its matrix, so that each key and value is read once for all of them.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/attention_forward.cuh"

namespace {

using namespace assay::vendor;
using assay::Case;

GroupedHeads heads_of(const Case& c) { return {c, 1, c.dim("kv_tokens"), c.dim("capacity")}; }

int64_t workspace_bytes(const Case& c) { return forward_workspace_bytes(heads_of(c)); }

std::optional<std::string> unsupported(const Case&) { return no_products(); }

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() { attend<T>(call, heads_of(call.c()), /*causal=*/false, nullptr, 0); });
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
