// The arithmetic of epilogues, in f32 and rounded once for each matrix that is stored.
#include "harness/program/libraries/epilogue.h"

#include <cmath>
#include <vector>

namespace assay::program {
namespace {

constexpr float kRootOfTwoOverPi = 0.7978845608f, kCubic = 0.044715f;

// The sums of rows or columns of a factor along the index that a product sums over, which are the gradient of a bias.
template <bool of_a>
void store_sums_of_factor(const Gemm& gemm, const EpilogueMemory& memory) {
  const GemmMatrix& matrix = of_a ? gemm.a : gemm.b;
  const bool is_transposed = of_a ? gemm.transposes_a : !gemm.transposes_b;
  const int64_t count = of_a ? gemm.m : gemm.n;
  for (int64_t i = 0; i < count; ++i) {
    float sum = 0;
    for (int64_t l = 0; l < gemm.k; ++l)
      sum += load<float>(matrix.type, matrix.begin, is_transposed ? l + i * matrix.ld : i + l * matrix.ld);
    store(memory.bias_type, memory.bias, i, sum);
  }
}

}  // namespace

float gelu(float x) { return 0.5f * x * (1 + std::tanh(kRootOfTwoOverPi * (x + kCubic * x * x * x))); }

float gelu_slope(float x) {
  const float tanh = std::tanh(kRootOfTwoOverPi * (x + kCubic * x * x * x));
  return 0.5f * (1 + tanh) + 0.5f * x * (1 - tanh * tanh) * kRootOfTwoOverPi * (1 + 3 * kCubic * x * x);
}

std::optional<Epilogue> epilogue_of(cublasLtEpilogue_t epilogue) {
  switch (epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
      return Epilogue{};
    case CUBLASLT_EPILOGUE_RELU:
      return Epilogue{.activation = Activation::relu};
    case CUBLASLT_EPILOGUE_BIAS:
      return Epilogue{.adds_bias = true};
    case CUBLASLT_EPILOGUE_RELU_BIAS:
      return Epilogue{.activation = Activation::relu, .adds_bias = true};
    case CUBLASLT_EPILOGUE_GELU:
      return Epilogue{.activation = Activation::gelu};
    case CUBLASLT_EPILOGUE_GELU_BIAS:
      return Epilogue{.activation = Activation::gelu, .adds_bias = true};
    case CUBLASLT_EPILOGUE_GELU_AUX:
      return Epilogue{.activation = Activation::gelu, .keeps_input = true};
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
      return Epilogue{.activation = Activation::gelu, .adds_bias = true, .keeps_input = true};
    case CUBLASLT_EPILOGUE_DGELU:
      return Epilogue{.activation = Activation::gelu_backward};
    case CUBLASLT_EPILOGUE_DGELU_BGRAD:
      return Epilogue{.activation = Activation::gelu_backward, .gradient = BiasGradient::of_result};
    case CUBLASLT_EPILOGUE_BGRADA:
      return Epilogue{.gradient = BiasGradient::of_a};
    case CUBLASLT_EPILOGUE_BGRADB:
      return Epilogue{.gradient = BiasGradient::of_b};
  }
  return std::nullopt;
}

void multiply_with_epilogue(const Gemm& gemm, double alpha, double beta, const GemmMatrix& d, const Epilogue& epilogue,
                            const EpilogueMemory& memory) {
  const auto sums = product_of<float>({gemm.a.begin, gemm.a.type, gemm.a.ld, gemm.transposes_a},
                                      {gemm.b.begin, gemm.b.type, gemm.b.ld, gemm.transposes_b}, gemm.m, gemm.n,
                                      alpha == 0 ? 0 : gemm.k, Threads::all_cores);
  const auto factor = static_cast<float>(alpha), share = static_cast<float>(beta);
  std::vector<float> gradient(static_cast<size_t>(gemm.m));
  for (int64_t j = 0; j < gemm.n; ++j)
    for (int64_t i = 0; i < gemm.m; ++i) {
      float value = factor * sums[static_cast<size_t>(i + j * gemm.m)];
      if (beta != 0) value += share * load<float>(gemm.c.type, gemm.c.begin, i + j * gemm.c.ld);
      if (epilogue.adds_bias) value += load<float>(memory.bias_type, memory.bias, i);
      if (epilogue.keeps_input) store(memory.aux_type, memory.aux, i + j * memory.aux_ld, value);
      if (epilogue.activation == Activation::relu) value = value < 0 ? 0 : value;  // a NaN stays one
      if (epilogue.activation == Activation::gelu) value = gelu(value);
      if (epilogue.activation == Activation::gelu_backward)
        value *= gelu_slope(load<float>(memory.aux_type, memory.aux, i + j * memory.aux_ld));
      gradient[static_cast<size_t>(i)] += value;
      store(d.type, const_cast<void*>(d.begin), i + j * d.ld, value);
    }
  if (epilogue.gradient == BiasGradient::of_result)
    for (int64_t i = 0; i < gemm.m; ++i) store(memory.bias_type, memory.bias, i, gradient[static_cast<size_t>(i)]);
  if (epilogue.gradient == BiasGradient::of_a) store_sums_of_factor<true>(gemm, memory);
  if (epilogue.gradient == BiasGradient::of_b) store_sums_of_factor<false>(gemm, memory);
}

}  // namespace assay::program
