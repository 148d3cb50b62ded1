// cublasGemmStridedBatchedEx and cublasLtMatmul in row-major terms: batches of products of matrices that lie in any
// tensors.
//
// cuBLAS's own headers stay in the .cpp, so that a file that calls this compiles for the executor too, which has CUDA
// headers of its own. Calls go to the current stream; one that fails is remembered as a refused launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/tensor/dtype.h"

namespace assay::vendor {

// Element (row, col) of matrix n is data[n * matrix_stride + row * row_stride + col]. A stride of 0 between matrices
// makes one matrix enter every product.
struct Operands {
  const void* data;
  int64_t row_stride, matrix_stride = 0;
  DType dtype = DType::f32;
  bool transposed = false;  // each enters its product transposed
};
inline Operands transposed(Operands x) {
  x.transposed = !x.transposed;
  return x;
}

struct Products {
  void* data;
  int64_t row_stride, matrix_stride = 0;
  DType dtype = DType::f32;
};

// `count` products of op(a), (rows, inner), and op(b), (inner, cols): c = alpha op(a) op(b) + beta c. The old c is not
// read when beta is 0. a and b have one dtype, and c has the same or f32; sums are in f32, without TF32, and round once
// to the dtype of c. There is a term at least: cuBLAS does not say what becomes of c where inner is 0.
struct Multiplication {
  int64_t count = 1, rows, cols, inner;
  float alpha = 1;
  Operands a, b;
  float beta = 0;
  Products c;
};
void multiply(const Multiplication& m);

// A step that cublasLtMatmul takes on the way, where `sums` or `bias` are not null.
struct Epilogue {
  const float* bias = nullptr;  // (count, cols): is added to each row of c, which is f32
  float* sums = nullptr;        // (rows): becomes the sums of op(a)'s rows, of one product whose c is f32
  bool tf32 = false;            // the product may take f32 operands as tf32
};
void multiply_lt(const Multiplication& m, const Epilogue& epilogue);

// Why there can be no such calls: a library is missing.
std::optional<std::string> no_products();

}  // namespace assay::vendor
