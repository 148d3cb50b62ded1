// gemm_nt_quant as a product of f32 matrices by cuBLAS, behind kernels of ours that decode the blocks into a workspace.
//
// It is what a user has who decodes weights for a library. The workspace holds a float for each weight, and for each
// activation that is given as a code; products are in f32 without TF32.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/biased_products.cuh"
#include "reference/vendor/cublas/block_elements.cuh"
#include "reference/vendor/workspace.h"

namespace {

using namespace assay::vendor;
using assay::Case;

bool are_codes(const Case& c) { return c.text("activations") != "f32"; }

// The weights are first in the workspace, decoded activations behind them.
int64_t weight_bytes(const Case& c) { return align_workspace(c.dim("N") * c.dim("K") * int64_t{sizeof(float)}); }
int64_t workspace_bytes(const Case& c) {
  return weight_bytes(c) + (are_codes(c) ? c.dim("M") * c.dim("K") * int64_t{sizeof(float)} : 0);
}

std::optional<std::string> unsupported(const Case& c) {
  if (c.dim("K") == 0) return "cuBLAS does not say what becomes of a product without terms (K=0)";
  return no_products();
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("M"), cols = call.dim("N"), depth = call.dim("K");
  if (rows == 0 || cols == 0) return;
  char* const workspace = call.workspace<char>();
  auto* const weights = call.workspace<float>();
  launch_decode(call.text("format"), call.in<uint8_t>("b"), weights, cols * depth);
  const float* activations = call.in<float>("a");
  if (are_codes(call.c())) {
    auto* const decoded = reinterpret_cast<float*>(workspace + weight_bytes(call.c()));
    launch_decode(call.text("activations"), call.in<uint8_t>("a"), decoded, rows * depth);
    activations = decoded;
  }
  multiply_with_bias<float>({.rows = rows,
                             .cols = cols,
                             .inner = depth,
                             .a = {.data = activations, .row_stride = depth},
                             .b = transposed({.data = weights, .row_stride = depth}),
                             .c = {.data = call.out<void>("c"), .row_stride = cols}},
                            call.in<float>("bias"), nullptr);
}

const assay::RegisterVariant kVariant({.op = "gemm_nt_quant",
                                       .name = "cublas_gemm",
                                       .summary = "blocks decoded to f32 by a kernel, then a product by cuBLAS",
                                       .dtypes = {assay::DType::f32},
                                       .aligned = 16,
                                       .vendor = "cuBLAS",
                                       .unsupported = unsupported,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
