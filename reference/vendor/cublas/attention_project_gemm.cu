// attention_project as one product by cuBLAS over all lanes of all heads.
//
// Kernels of ours first lay the heads of attn side by side, and those of weights by head: a product for each head would
// read and write the result as often as there are heads, and round it each time in 16 bits.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/biased_products.cuh"
#include "reference/vendor/cublas/given_as_numbers.h"
#include "reference/vendor/cublas/heads_side_by_side.cuh"
#include "reference/vendor/workspace.h"

namespace {

using namespace assay::vendor;
using assay::Case;

std::optional<std::string> unsupported(const Case& c) {
  if (auto why = given_as_blocks(c, {"wo"})) return why;
  return no_products();
}

void adjust(Case& c) { give_as_numbers(c, {"wo"}); }

// Where the parts of the workspace begin: attn's rows are first.
struct Parts {
  int64_t weights, sums, end;

  explicit Parts(const Case& c) {
    const int64_t row = c.dim("H") * c.dim("ad"), element = static_cast<int64_t>(assay::size_of(c.dtype));
    weights = align_workspace(c.dim("T") * row * element);
    sums = weights + (c.text("wo") == "by_head" ? align_workspace(c.dim("aE") * row * element) : 0);
    const bool biased = c.text("biases") != "none";
    end = sums + (biased ? floats_of_sums(c.dtype, c.dim("T") * c.dim("aE")) * int64_t{sizeof(float)} : 0);
  }
};

int64_t workspace_bytes(const Case& c) { return Parts(c).end; }

template <class T>
void project(const assay::Call& call) {
  const int64_t tokens = call.dim("T"), heads = call.dim("H"), lanes = call.dim("ad"), outs = call.dim("aE");
  const Parts parts(call.c());
  char* const workspace = call.workspace<char>();
  const Operands by_row{.data = call.in<void>("wo"), .row_stride = heads * lanes, .dtype = call.dtype()};
  const Operands weights = call.text("wo") == "by_row"
                               ? by_row
                               : side_by_side(call.in<T>("wo"), reinterpret_cast<T*>(workspace + parts.weights), heads,
                                              outs, lanes, call.dtype());
  const Operands rows =
      side_by_side(call.in<T>("attn"), reinterpret_cast<T*>(workspace), heads, tokens, lanes, call.dtype());
  multiply_with_bias<T>({.rows = tokens,
                         .cols = outs,
                         .inner = heads * lanes,
                         .a = rows,
                         .b = transposed(weights),
                         .c = {.data = call.out<void>("out"), .row_stride = outs, .dtype = call.dtype()}},
                        call.in<float>("bo"), reinterpret_cast<float*>(workspace + parts.sums));
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() { project<T>(call); });
}

const assay::RegisterVariant kVariant({.op = "attention_project",
                                       .name = "cublas_gemm",
                                       .summary = "heads laid side by side by a kernel, then one product by cuBLAS",
                                       .aligned = 16,
                                       .vendor = "cuBLAS",
                                       .unsupported = unsupported,
                                       .adjust = adjust,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
