// gemm by cublasGemmEx: products of bf16, f16 or f32 matrices, summed in f32, in every layout.
//
// A bias is left to other variants: cuBLAS adds one in the dtype of C only, and ours is f32. Without terms (K = 0)
// cuBLAS does not say whether it writes C.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/handle.h"

namespace {

using namespace assay::vendor;

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("bias") == "1") return "cublasGemmEx adds no bias";
  if (c.dim("K") == 0) return "cublasGemmEx does not say what becomes of C without terms (K=0)";
  return why_missing(cublas());
}

void adjust(assay::Case& c) { c.set("bias", "0"); }

void run(assay::Call& call) {
  const int64_t rows = call.dim("M"), cols = call.dim("N"), depth = call.dim("K");
  if (rows == 0 || cols == 0) return;
  const auto handle = cublas_on_stream();
  if (!handle) return;
  // cuBLAS reads row-major matrices as their transposes, and Cᵀ = Bᵀ Aᵀ: the operands change places.
  const bool a_by_k = call.text("layout") == "tn", b_by_k = call.text("layout") != "nt";
  const cudaDataType_t type = type_of(call.dtype());
  const float one = 1, beta = call.text("accumulate") == "1" ? 1.0f : 0.0f;
  const auto gemm = cublas().function<decltype(&cublasGemmEx_64)>("cublasGemmEx_64");
  note_if_refused("cublasGemmEx",
                  gemm(*handle, b_by_k ? CUBLAS_OP_N : CUBLAS_OP_T, a_by_k ? CUBLAS_OP_T : CUBLAS_OP_N, cols, rows,
                       depth, &one, call.in<void>("b"), type, b_by_k ? cols : depth, call.in<void>("a"), type,
                       a_by_k ? rows : depth, &beta, call.out<void>("c"), call.text("out") == "f32" ? CUDA_R_32F : type,
                       cols, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

const assay::RegisterVariant kVariant({.op = "gemm",
                                       .name = "cublas_gemm_ex",
                                       .summary = "cublasGemmEx, sums in f32 without TF32",
                                       .aligned = 16,
                                       .vendor = "cuBLAS",
                                       .unsupported = unsupported,
                                       .adjust = adjust,
                                       .run = run});

}  // namespace
