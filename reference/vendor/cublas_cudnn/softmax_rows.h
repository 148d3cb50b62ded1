// The calls of cuDNN that a chain needs for row-major f32 matrices: the softmax of rows and its gradient, ACCURATE.
//
// cuDNN's own headers stay in the .cpp, as cuBLAS's do in cublas/products.cpp. Calls go to the current stream; one that
// fails is remembered as a refused launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace assay::vendor {

// y = the softmax of every row of x. x, y: (rows, cols) without gaps. A row of minus infinities becomes NaN.
void softmax_rows(int64_t rows, int64_t cols, const float* x, float* y);

// Computes from y, the softmax, and its gradient dy that of its input: dx = y (dy - sum_cols y dy). All (rows, cols).
void softmax_rows_backward(int64_t rows, int64_t cols, const float* y, const float* dy, float* dx);

// Why there can be no such call: cuDNN is missing, or there are too many rows and columns.
std::optional<std::string> no_softmax(int64_t rows, int64_t cols);

}  // namespace assay::vendor
