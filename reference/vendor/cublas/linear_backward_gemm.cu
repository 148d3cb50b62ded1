// linear_backward as two products by cuBLAS, dX = dY W and dW = dYᵀ X, and a kernel of ours for db.
//
// dW is f32 whatever the matrices are, and beta adds to what is there. cuBLASLt's epilogue that sums a bias gradient
// would overwrite db, where the op may add to it. A product without terms is left out: cuBLAS does not say what
// becomes of its result.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/column_sums.cuh"
#include "reference/vendor/cublas/products.h"

namespace {

using namespace assay::vendor;

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.dim("K") > 0 && (c.dim("T") == 0 || c.dim("N") == 0))
    return "cuBLAS does not say what becomes of dX or dW without terms (N=0 or T=0)";
  return no_products();
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), outs = call.dim("N"), ins = call.dim("K");
  const bool adds_dx = call.text("dx") == "accumulate", adds_dw = call.text("dw") == "accumulate";
  const auto rows_of = [&](const char* name, int64_t cols) {
    return Operands{.data = call.in<void>(name), .row_stride = cols, .dtype = call.dtype()};
  };
  const Operands dy = rows_of("dy", outs);
  multiply({.rows = tokens,
            .cols = ins,
            .inner = outs,
            .a = dy,
            .b = rows_of("w", ins),
            .beta = adds_dx ? 1.f : 0.f,
            .c = {.data = call.out<void>("dx"), .row_stride = ins, .dtype = call.dtype()}});
  multiply({.rows = outs,
            .cols = ins,
            .inner = tokens,
            .a = transposed(dy),
            .b = rows_of("x", ins),
            .beta = adds_dw ? 1.f : 0.f,
            .c = {.data = call.out<void>("dw"), .row_stride = ins}});
  assay::by_dtype(
      call, [&]<class T>() { launch_sum_columns(call.in<T>("dy"), call.out<float>("db"), tokens, outs, adds_dw); });
}

const assay::RegisterVariant kVariant({.op = "linear_backward",
                                       .name = "cublas_gemm",
                                       .summary = "dX and dW by cublasGemmStridedBatchedEx, db by column sums of ours",
                                       .aligned = 16,
                                       .vendor = "cuBLAS",
                                       .unsupported = unsupported,
                                       .run = run});

}  // namespace
