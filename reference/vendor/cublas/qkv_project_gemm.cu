// qkv_project as three batches of products by cuBLAS, a product for each head: its rows of W times the same x.
//
// The heads of k and v lie kv_stride slots apart, which is the stride of the batch; later slots stay as they are.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/biased_products.cuh"
#include "reference/vendor/cublas/given_as_numbers.h"

namespace {

using namespace assay::vendor;
using assay::Case;

std::optional<std::string> unsupported(const Case& c) {
  if (auto why = given_as_blocks(c, {"wq", "wk", "wv"})) return why;
  return no_products();
}

void adjust(Case& c) { give_as_numbers(c, {"wq", "wk", "wv"}); }

// The projections follow each other: one workspace serves all.
int64_t workspace_bytes(const Case& c) {
  if (c.text("biases") == "none") return 0;
  return floats_of_sums(c.dtype, std::max(c.dim("H"), c.dim("HK")) * c.dim("T") * c.dim("ad")) * int64_t{sizeof(float)};
}

struct Projection {
  const char *weights, *bias, *out;
  int64_t heads, slots;  // and those of a head of `out`
};

void project(const assay::Call& call, const Projection& p) {
  const int64_t tokens = call.dim("T"), lanes = call.dim("ad"), ins = call.dim("aE");
  const Multiplication product{.count = p.heads,
                               .rows = tokens,
                               .cols = lanes,
                               .inner = ins,
                               .a = {.data = call.in<void>("x"), .row_stride = ins, .dtype = call.dtype()},
                               .b = transposed({call.in<void>(p.weights), ins, lanes * ins, call.dtype()}),
                               .c = {call.out<void>(p.out), lanes, p.slots * lanes, call.dtype()}};
  assay::by_dtype(call,
                  [&]<class T>() { multiply_with_bias<T>(product, call.in<float>(p.bias), call.workspace<float>()); });
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), kv_heads = call.dim("HK"), slots = call.dim("kv_stride");
  project(call, {"wq", "bq", "q", heads, call.dim("T")});
  project(call, {"wk", "bk", "k", kv_heads, slots});
  project(call, {"wv", "bv", "v", kv_heads, slots});
}

const assay::RegisterVariant kVariant(
    {.op = "qkv_project",
     .name = "cublas_gemm",
     .summary = "a batch of cuBLAS's products for each of q, k and v; a bias by a kernel",
     .aligned = 16,
     .vendor = "cuBLAS",
     .unsupported = unsupported,
     .adjust = adjust,
     .workspace_bytes = workspace_bytes,
     .run = run});

}  // namespace
