// cuDNN's softmax of the rows of a row-major matrix, and its gradient: the maximum is taken off first.
//
// cuDNN's own headers stay in the .cpp, as cuBLAS's do in cublas/products.cpp. Calls go to the current stream; one that
// fails is remembered as a refused launch. Nothing is called where there are no elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/tensor/dtype.h"

namespace assay::vendor {

// (rows, cols) without gaps.
struct SoftmaxRows {
  int64_t rows, cols;
  DType dtype = DType::f32;
};

// y = the softmax of every row of x, ACCURATE or its logarithm, LOG.
void softmax_rows(const SoftmaxRows& shape, const void* x, void* y, bool log = false);

// Computes from y, the softmax, and its gradient dy that of its input: dx = y (dy - sum_cols y dy).
void softmax_rows_backward(const SoftmaxRows& shape, const void* y, const void* dy, void* dx);

// Why there can be no such call: cuDNN is missing, or there are too many rows and columns.
std::optional<std::string> no_softmax(int64_t rows, int64_t cols);

// Why data of a kind has no softmax by cuDNN. On an H200, 9.14 gives rows of infinities 0, and counts what it pads rows
// with where all their numbers are the lowest.
std::optional<std::string> no_softmax_of(const std::string& fill);

}  // namespace assay::vendor
