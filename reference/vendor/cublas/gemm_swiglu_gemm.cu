// gemm_swiglu as two products by cuBLAS into an f32 workspace, and a kernel of ours that adds the biases and gates.
//
// Both projections stay in f32 until the gate, whatever the dtype: nothing is rounded in between. They cost two floats
// of workspace for each element of y.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/gated_rows.cuh"
#include "reference/vendor/cublas/given_as_numbers.h"
#include "reference/vendor/cublas/products.h"

namespace {

using namespace assay::vendor;
using assay::Case;

std::optional<std::string> unsupported(const Case& c) {
  if (auto why = given_as_blocks(c, {"wg", "wu"})) return why;
  if (c.dim("K") == 0) return "cuBLAS does not say what becomes of a product without terms (K=0)";
  return no_products();
}

void adjust(Case& c) { give_as_numbers(c, {"wg", "wu"}); }

int64_t workspace_bytes(const Case& c) { return 2 * c.dim("T") * c.dim("N") * int64_t{sizeof(float)}; }

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), outs = call.dim("N"), ins = call.dim("K"), count = tokens * outs;
  if (count == 0) return;
  const auto matrix = [&](const char* name) {
    return Operands{.data = call.in<void>(name), .row_stride = ins, .dtype = call.dtype()};
  };
  const auto project = [&](const char* weights, float* to) {
    multiply({.rows = tokens,
              .cols = outs,
              .inner = ins,
              .a = matrix("x"),
              .b = transposed(matrix(weights)),
              .c = {.data = to, .row_stride = 2 * outs}});
  };
  auto* const sums = call.workspace<float>();  // (tokens, 2 * outs)
  project("wg", sums);
  project("wu", sums + outs);
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(gate_rows<T>, over_elements(count), sums, call.in<float>("bg"), call.in<float>("bu"),
                  call.out<T>("y"), tokens, outs);
  });
}

const assay::RegisterVariant kVariant({.op = "gemm_swiglu",
                                       .name = "cublas_gemm",
                                       .summary = "two products by cuBLAS, and a kernel for biases and gate",
                                       .aligned = 16,
                                       .vendor = "cuBLAS",
                                       .unsupported = unsupported,
                                       .adjust = adjust,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
