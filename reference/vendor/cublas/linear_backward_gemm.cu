// linear_backward as two products by cuBLAS, dX = dY W and dW = dYᵀ X, and db by a kernel of ours or, in a variant of
// its own, by the epilogue of the second.
//
// dW is f32 whatever the matrices are, and beta adds to what is there; the epilogue writes db over it. A product
// without terms is left out: cuBLAS does not say what becomes of its result.
#include "reference/vendor/cublas/column_sums.cuh"

namespace {

using namespace assay::vendor;
using assay::Case;

std::optional<std::string> unsupported(const Case& c) {
  if (c.dim("K") > 0 && (c.dim("T") == 0 || c.dim("N") == 0))
    return "cuBLAS does not say what becomes of dX or dW without terms (N=0 or T=0)";
  return no_products();
}

std::optional<std::string> unsupported_by_epilogue(const Case& c) {
  if (auto why = refused_epilogue(c)) return why;
  if (c.dim("K") == 0) return "without a product there is no epilogue (K=0)";
  return unsupported(c);
}

void run(const assay::Call& call, bool by_epilogue) {
  const int64_t tokens = call.dim("T"), outs = call.dim("N"), ins = call.dim("K");
  const auto rows_of = [&](const char* name, int64_t cols) {
    return Operands{.data = call.in<void>(name), .row_stride = cols, .dtype = call.dtype()};
  };
  const Operands dy = rows_of("dy", outs);
  multiply({.rows = tokens,
            .cols = ins,
            .inner = outs,
            .a = dy,
            .b = rows_of("w", ins),
            .beta = call.text("dx") == "accumulate" ? 1.f : 0.f,
            .c = {.data = call.out<void>("dx"), .row_stride = ins, .dtype = call.dtype()}});
  assay::by_dtype(call, [&]<class T>() {
    launch_weight_gradients<T>({.tokens = tokens,
                                .outs = outs,
                                .ins = ins,
                                .dy = dy,
                                .x = rows_of("x", ins),
                                .dw = call.out<void>("dw"),
                                .db = call.out<float>("db"),
                                .accumulates = call.text("dw") == "accumulate",
                                .by_epilogue = by_epilogue});
  });
}

const assay::RegisterVariant kByKernel({.op = "linear_backward",
                                        .name = "cublas_gemm",
                                        .summary = "dX and dW by cublasGemmStridedBatchedEx, db by column sums of ours",
                                        .aligned = 16,
                                        .vendor = "cuBLAS",
                                        .unsupported = unsupported,
                                        .run = [](assay::Call& call) { run(call, false); }});
const assay::RegisterVariant kByEpilogue({.op = "linear_backward",
                                          .name = "cublas_lt_bgradb",
                                          .summary = "dX by cuBLAS, dW and db by cublasLtMatmul with BGRADB",
                                          .aligned = 16,
                                          .vendor = "cuBLAS",
                                          .unsupported = unsupported_by_epilogue,
                                          .adjust = [](Case& c) { c.set("dw", "overwrite"); },
                                          .run = [](assay::Call& call) { run(call, true); }});

}  // namespace
