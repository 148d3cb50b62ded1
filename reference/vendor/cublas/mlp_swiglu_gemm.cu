// mlp_swiglu as two products by cuBLAS, with a kernel of ours between them for the bias and the gate.
//
// The first product goes to an f32 workspace, so that g comes from sums that are not rounded; g itself enters the
// second product in the case's dtype.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/biased_products.cuh"
#include "reference/vendor/cublas/gated_rows.cuh"
#include "reference/vendor/cublas/given_as_numbers.h"
#include "reference/vendor/workspace.h"

namespace {

using namespace assay::vendor;
using assay::Case;

std::optional<std::string> unsupported(const Case& c) {
  if (auto why = given_as_blocks(c, {"w1", "w2"})) return why;
  return no_products();
}

void adjust(Case& c) { give_as_numbers(c, {"w1", "w2"}); }

// The first product and, after it, the second's sums lie at the beginning of the workspace; then g, where the case does
// not ask for it.
int64_t g_at(const Case& c) {
  const int64_t first = 2 * c.dim("aI"), second = floats_of_sums(c.dtype, c.dim("aE"));
  return align_workspace(c.dim("T") * std::max(first, second) * int64_t{sizeof(float)});
}

int64_t workspace_bytes(const Case& c) {
  return g_at(c) + c.dim("T") * c.dim("aI") * static_cast<int64_t>(assay::size_of(c.dtype));
}

template <class T>
void run_in(const assay::Call& call) {
  const int64_t tokens = call.dim("T"), inner = call.dim("aI"), width = call.dim("aE");
  const auto matrix = [&](const void* data, int64_t cols) {
    return Operands{.data = data, .row_stride = cols, .dtype = call.dtype()};
  };
  auto* const sums = call.workspace<float>();
  const float* const b1 = call.in<float>("b1");
  multiply({.rows = tokens,
            .cols = 2 * inner,
            .inner = width,
            .a = matrix(call.in<void>("x"), width),
            .b = transposed(matrix(call.in<void>("w1"), width)),
            .c = {.data = sums, .row_stride = 2 * inner}});
  if (T* h = call.out<T>("h"))
    assay::launch(add_bias<T>, over_elements(tokens * 2 * inner), sums, 0, b1, h, 0, 1, tokens, 2 * inner);
  T* g = call.out<T>("g");
  if (!g) g = reinterpret_cast<T*>(call.workspace<char>() + g_at(call.c()));
  assay::launch(gate_rows<T>, over_elements(tokens * inner), sums, b1, b1 ? b1 + inner : nullptr, g, tokens, inner);
  multiply_with_bias<T>({.rows = tokens,
                         .cols = width,
                         .inner = inner,
                         .a = matrix(g, inner),
                         .b = transposed(matrix(call.in<void>("w2"), inner)),
                         .c = {.data = call.out<void>("y"), .row_stride = width, .dtype = call.dtype()}},
                        call.in<float>("b2"), sums);
}

void run(assay::Call& call) {
  if (call.dim("T") == 0) return;
  assay::by_dtype(call, [&]<class T>() { run_in<T>(call); });
}

const assay::RegisterVariant kVariant({.op = "mlp_swiglu",
                                       .name = "cublas_gemm",
                                       .summary = "two products by cuBLAS, and a kernel for bias and gate between them",
                                       .aligned = 16,
                                       .vendor = "cuBLAS",
                                       .rounds = {"g"},
                                       .unsupported = unsupported,
                                       .adjust = adjust,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
