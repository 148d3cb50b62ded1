// Transformer layers of libraries' variants, with kernels of ours for rope, whose heads have padding here, and where
// the backward works in place, which cuDNN does not. A composite has no kernel of its own: each step is judged by its
// own op before the next one begins.
#include "harness/op/variant.h"

namespace {

using assay::Case;
using assay::DType;

// cuDNN's norms take rows without padding.
void without_padding(Case& c) { c.set("padE", "0"); }

assay::Variant layer(const char* op, std::vector<assay::StepChoice> steps) {
  return {.op = op,
          .name = "libraries",
          .summary = "cuBLAS's products; cuDNN's norms, sums and gates where they are not in place; copies of CUDA",
          .dtypes = {DType::f32},
          .vendor = "cuBLAS and cuDNN",
          .steps = std::move(steps),
          .adjust = without_padding};
}

// The upper halves of gates begin where cuDNN's tensors may.
assay::Variant with_aligned_gates(assay::Variant variant) {
  variant.adjust = [](Case& c) {
    without_padding(c);
    c.set("padI", "0");
    c.set("aI", std::to_string((c.dim("aI") + 3) / 4 * 4));
  };
  return variant;
}

const assay::RegisterVariant kForward(layer("layer_forward", {{"norm1", "cudnn_rms_norm"},
                                                              {"qkv", "cublas_gemm"},
                                                              {"turn", "pair_packs"},
                                                              {"attend", "cublas_gemm"},
                                                              {"project", "cublas_gemm"},
                                                              {"join1", "cudnn_add"},
                                                              {"norm2", "cudnn_rms_norm"},
                                                              {"mlp", "cublas_gemm"},
                                                              {"join2", "cudnn_add"}}));
const assay::RegisterVariant kDecode(layer("layer_decode", {{"norm1", "cudnn_rms_norm"},
                                                            {"qkv", "cublas_gemm"},
                                                            {"turn", "pair_packs"},
                                                            {"write", "cuda_memcpy_2d"},
                                                            {"attend", "cublas_gemm"},
                                                            {"project", "cublas_gemm"},
                                                            {"join1", "cudnn_add"},
                                                            {"norm2", "cudnn_rms_norm"},
                                                            {"mlp", "cublas_gemm"},
                                                            {"join2", "cudnn_add"}}));
const assay::RegisterVariant kBackward(with_aligned_gates(layer("layer_backward", {{"split2", "cuda_memcpy"},
                                                                                   {"down", "cublas_gemm"},
                                                                                   {"gate", "cudnn_swish"},
                                                                                   {"up", "cublas_gemm"},
                                                                                   {"norm2", "row_in_registers"},
                                                                                   {"merge2", "cublas_axpy"},
                                                                                   {"split1", "cuda_memcpy"},
                                                                                   {"project", "cublas_gemm"},
                                                                                   {"attend", "cublas_gemm"},
                                                                                   {"turn", "pair_packs"},
                                                                                   {"qkv", "cublas_gemm"},
                                                                                   {"norm1", "cudnn_rms_norm"},
                                                                                   {"merge1", "cudnn_add"}})));

}  // namespace
