// gemm_nt_quant as a product by cublasLtMatmul, whose epilogue adds the bias, behind kernels of ours that decode the
// blocks into a workspace: what a user has who decodes weights for a library.
//
// One variant for each type of the product. tf32 and bf16 numbers are rounded as they are decoded, activations in f32
// too, and cuBLAS multiplies them as they are; sums are in f32.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/block_elements.cuh"
#include "reference/vendor/cublas/products.h"
#include "reference/vendor/workspace.h"

namespace {

using namespace assay::vendor;
using assay::Accumulate;
using assay::Case;

template <class T>
bool decodes_activations(const Case& c) {
  return !std::is_same_v<T, float> || c.text("activations") != "f32";
}

// The weights are first in the workspace, decoded activations behind them.
template <class T>
int64_t weight_bytes(const Case& c) {
  return align_workspace(c.dim("N") * c.dim("K") * int64_t{sizeof(T)});
}
template <class T>
int64_t workspace_bytes(const Case& c) {
  return weight_bytes<T>(c) + (decodes_activations<T>(c) ? c.dim("M") * c.dim("K") * int64_t{sizeof(T)} : 0);
}

std::optional<std::string> unsupported(const Case& c) {
  if (c.dim("K") == 0) return "cuBLAS does not say what becomes of a product without terms (K=0)";
  return no_products();
}

template <class T>
void run(assay::Call& call) {
  const int64_t rows = call.dim("M"), cols = call.dim("N"), depth = call.dim("K");
  if (rows == 0 || cols == 0) return;
  const auto matrix = [&](const void* data) {
    return Operands{
        .data = data, .row_stride = depth, .dtype = sizeof(T) == 2 ? assay::DType::bf16 : assay::DType::f32};
  };
  auto* const weights = call.workspace<T>();
  launch_decode(call.text("format"), call.in<uint8_t>("b"), weights, cols * depth);
  const void* activations = call.in<void>("a");
  if (decodes_activations<T>(call.c())) {
    auto* const decoded = reinterpret_cast<T*>(call.workspace<char>() + weight_bytes<T>(call.c()));
    launch_decode(call.text("activations"), call.in<uint8_t>("a"), decoded, rows * depth);
    activations = decoded;
  }
  multiply_lt({.rows = rows,
               .cols = cols,
               .inner = depth,
               .a = matrix(activations),
               .b = transposed(matrix(weights)),
               .c = {.data = call.out<void>("c"), .row_stride = cols}},
              {.bias = call.in<float>("bias"), .tf32 = std::is_same_v<T, Tf32>});
}

template <class T>
assay::Variant product(const char* name, const char* summary, Accumulate accumulate) {
  return {.op = "gemm_nt_quant",
          .name = name,
          .summary = summary,
          .dtypes = {assay::DType::f32},
          .aligned = 16,
          .vendor = "cuBLAS",
          .accumulate = accumulate,
          .unsupported = unsupported,
          .workspace_bytes = workspace_bytes<T>,
          .run = run<T>};
}

const assay::RegisterVariant kF32(product<float>("cublas_lt_f32", "blocks decoded by a kernel, then cublasLtMatmul",
                                                 Accumulate::f32));
const assay::RegisterVariant kTf32(product<Tf32>("cublas_lt_tf32", "cublasLtMatmul of blocks decoded to tf32",
                                                 Accumulate::tf32));
const assay::RegisterVariant kBf16(product<__nv_bfloat16>("cublas_lt_bf16", "cublasLtMatmul of blocks decoded to bf16",
                                                          Accumulate::bf16_operands));

}  // namespace
