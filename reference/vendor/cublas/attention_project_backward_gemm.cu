// attention_project_backward as two batches of products by cuBLAS, a product for each head: dattn = dout Wo and
// dWo = doutᵀ attn, and column sums of ours for dbo.
//
// Both layouts of the weights are strides of a batch, so nothing is copied.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/column_sums.cuh"
#include "reference/vendor/cublas/products.h"

namespace {

using namespace assay::vendor;

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.dim("T") == 0) return "cuBLAS does not say what becomes of dWo without terms (T=0)";
  return no_products();
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), heads = call.dim("H"), lanes = call.dim("ad"), outs = call.dim("aE");
  const bool by_head = call.text("wo") == "by_head", accumulates = call.text("dw") == "accumulate";
  const int64_t row_of_weights = by_head ? lanes : heads * lanes, head_of_weights = by_head ? outs * lanes : lanes;
  const Operands dout{.data = call.in<void>("dout"), .row_stride = outs, .dtype = call.dtype()};
  multiply({.count = heads,
            .rows = tokens,
            .cols = lanes,
            .inner = outs,
            .a = dout,
            .b = {call.in<void>("wo"), row_of_weights, head_of_weights, call.dtype()},
            .c = {call.out<void>("dattn"), lanes, tokens * lanes, call.dtype()}});
  multiply({.count = heads,
            .rows = outs,
            .cols = lanes,
            .inner = tokens,
            .a = transposed(dout),
            .b = {call.in<void>("attn"), lanes, tokens * lanes, call.dtype()},
            .beta = accumulates ? 1.f : 0.f,
            .c = {call.out<void>("dwo"), row_of_weights, head_of_weights}});
  auto* dbo = call.out<float>("dbo");
  if (!dbo) return;
  assay::by_dtype(call, [&]<class T>() { launch_sum_columns(call.in<T>("dout"), dbo, tokens, outs, accumulates); });
}

const assay::RegisterVariant kVariant(
    {.op = "attention_project_backward",
     .name = "cublas_gemm",
     .summary = "a batch of cuBLAS's products over the heads for each of dattn and dWo",
     .aligned = 16,
     .vendor = "cuBLAS",
     .unsupported = unsupported,
     .run = run});

}  // namespace
