// Products of matrices as cuBLAS and cuBLASLt have them: C = alpha op(A) op(B) + beta C.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/program/libraries/blas_handle.h"
#include "harness/program/matrix_product.h"

namespace assay::program {

// A matrix of a product; of a batch, the first, and the elements from one to the next. `begin` is an array of pointers
// where the batch is given so.
struct GemmMatrix {
  const void* begin = nullptr;
  Number type = Number::f32;
  int64_t ld = 1, stride = 0;
};
struct Gemm {
  int64_t m = 0, n = 0, k = 0;
  bool transposes_a = false, transposes_b = false;
  GemmMatrix a = {}, b = {}, c = {};
  int64_t batches = 1;
  bool by_pointers = false;
  Number sums = Number::f32;  // f32, f64 or i32
};

// The types in which a product of such matrices is summed, and its scalars given; none: cuBLAS has no such product.
struct GemmTypes {
  Number sums, scalars;
};
std::optional<GemmTypes> gemm_types(cublasComputeType_t compute, Number a, Number b, Number c);

// The product of two matrices: shapes and leading dimensions are not looked at. Every number is rounded to the type of
// the sums, and to the result's type at the end. beta = 0: C is not read; alpha = 0: A and B are not.
void multiply(const Gemm& gemm, double alpha, double beta, Threads threads);

// A call of cuBLAS: arguments are looked at, then the work is submitted. `name`: the call's, which lasts.
cublasStatus_t gemm(cublasHandle_t handle, const char* name, const Gemm& gemm, Number scalars, const void* alpha,
                    const void* beta);

}  // namespace assay::program
