// How cuBLASLt treats a product before it is stored: a bias, an activation, and what a backward pass needs of them.
#pragma once

#include <optional>

#include "harness/program/libraries/gemm.h"

namespace assay::program {

enum class Activation : uint8_t { none, relu, gelu, gelu_backward };
enum class BiasGradient : uint8_t { none, of_result, of_a, of_b };

// Both pointers as cuBLASLt has them. `bias`: a vector that is added, or for a gradient one that is written.
// `aux`: a matrix that gets the input of GELU, or from which the backward pass reads it.
struct Epilogue {
  Activation activation = Activation::none;
  bool adds_bias = false, keeps_input = false;
  BiasGradient gradient = BiasGradient::none;
};
std::optional<Epilogue> epilogue_of(cublasLtEpilogue_t epilogue);

struct EpilogueMemory {
  void* bias = nullptr;
  Number bias_type = Number::f32;
  void* aux = nullptr;
  Number aux_type = Number::f32;
  int64_t aux_ld = 0;
};

// GELU by the hyperbolic tangent, and its derivative.
float gelu(float x);
float gelu_slope(float x);

// D = epilogue(alpha op(A) op(B) + beta C), where the sums are f32. `d` has the product's shape.
void multiply_with_epilogue(const Gemm& gemm, double alpha, double beta, const GemmMatrix& d, const Epilogue& epilogue,
                            const EpilogueMemory& memory);

}  // namespace assay::program
