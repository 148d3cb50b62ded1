// qkv_project_backward by cuBLAS: heads laid side by side by a kernel, then for each of q, k and v what a linear
// layer's backward takes: dx += dY W, dW = dYᵀ x, and column sums of ours for db.
//
// Three products add to dx: of 16-bit matrices in an f32 workspace, so that it rounds once.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/biased_products.cuh"
#include "reference/vendor/cublas/column_sums.cuh"
#include "reference/vendor/cublas/heads_side_by_side.cuh"
#include "reference/vendor/workspace.h"

namespace {

using namespace assay::vendor;
using assay::Case;

// Bytes of the largest gradient, whose heads are laid side by side.
int64_t rows_bytes(const Case& c) {
  const int64_t elements = std::max(c.dim("H"), c.dim("HK")) * c.dim("T") * c.dim("ad");
  return align_workspace(elements * static_cast<int64_t>(assay::size_of(c.dtype)));
}

int64_t workspace_bytes(const Case& c) {
  return rows_bytes(c) + floats_of_sums(c.dtype, c.dim("T") * c.dim("aE")) * int64_t{sizeof(float)};
}

std::optional<std::string> unsupported(const Case& c) {
  if (c.dim("T") == 0) return "cuBLAS does not say what becomes of dW without terms (T=0)";
  return no_products();
}

struct Projection {
  const char *gradient, *weights, *dw, *db;
  int64_t heads;
};

// Adds what p gives dx to `dx`; the first projection sets it.
template <class T>
void go_back(const assay::Call& call, const Projection& p, float beta, const Products& dx, bool by_epilogue) {
  const int64_t tokens = call.dim("T"), ins = call.dim("aE"), outs = p.heads * call.dim("ad");
  const Operands dy =
      side_by_side(call.in<T>(p.gradient), call.workspace<T>(), p.heads, tokens, call.dim("ad"), call.dtype());
  const auto matrix = [&](const char* name) { return Operands{call.in<void>(name), ins, 0, call.dtype()}; };
  multiply({.rows = tokens, .cols = ins, .inner = outs, .a = dy, .b = matrix(p.weights), .beta = beta, .c = dx});
  launch_weight_gradients<T>({.tokens = tokens,
                              .outs = outs,
                              .ins = ins,
                              .dy = dy,
                              .x = matrix("x"),
                              .dw = call.out<void>(p.dw),
                              .db = call.out<float>(p.db),
                              .accumulates = call.text("dw") == "accumulate",
                              .by_epilogue = by_epilogue});
}

template <class T>
void run_in(const assay::Call& call, bool by_epilogue) {
  const int64_t tokens = call.dim("T"), ins = call.dim("aE"), kv_heads = call.dim("HK");
  T* const dx = call.out<T>("dx");
  float* sums = reinterpret_cast<float*>(call.workspace<char>() + rows_bytes(call.c()));
  if constexpr (std::is_same_v<T, float>) sums = dx;
  const Products to{.data = sums, .row_stride = ins};
  go_back<T>(call, {"dq", "wq", "dwq", "dbq", call.dim("H")}, 0, to, by_epilogue);
  go_back<T>(call, {"dk", "wk", "dwk", "dbk", kv_heads}, 1, to, by_epilogue);
  go_back<T>(call, {"dv", "wv", "dwv", "dbv", kv_heads}, 1, to, by_epilogue);
  if constexpr (!std::is_same_v<T, float>)
    assay::launch(add_bias<T>, over_elements(tokens * ins), sums, 0, nullptr, dx, 0, 1, tokens, ins);
}

assay::Variant variant(const char* name, const char* summary, bool by_epilogue) {
  return {.op = "qkv_project_backward",
          .name = name,
          .summary = summary,
          .aligned = 16,
          .vendor = "cuBLAS",
          .unsupported = [=](const Case& c) -> std::optional<std::string> {
            if (by_epilogue && c.text("biases") == "none") return "there is no bias whose gradient it could add up";
            const auto why = by_epilogue ? refused_epilogue(c) : std::nullopt;
            return why ? why : unsupported(c);
          },
          .adjust =
              [=](Case& c) {
                if (!by_epilogue) return;
                c.set("biases", "q,k,v");
                c.set("dw", "overwrite");
              },
          .workspace_bytes = workspace_bytes,
          .run = [=](assay::Call& call) { assay::by_dtype(call, [&]<class T>() { run_in<T>(call, by_epilogue); }); }};
}

const assay::RegisterVariant kByKernel(variant("cublas_gemm",
                                               "heads laid side by side by a kernel, then six products by cuBLAS",
                                               false));
const assay::RegisterVariant kByEpilogue(variant("cublas_lt_bgradb",
                                                 "three of the products by cublasLtMatmul with BGRADB", true));

}  // namespace
