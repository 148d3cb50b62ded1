// Column-major matrices in the host's memory, and their products: what the fakes of cuBLAS and cuBLASLt compute.
#pragma once

#include <library_types.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "harness/tensor/dtype.h"

namespace assay::vendor::fake {

inline bool is_known(cudaDataType_t type) { return type == CUDA_R_32F || type == CUDA_R_16BF || type == CUDA_R_16F; }

// Element (row, col) is data[row + col * leading]; of op(x), for a transposed one, data[col + row * leading].
struct Matrix {
  void* data = nullptr;
  cudaDataType_t type = CUDA_R_32F;
  int64_t leading = 0;
  bool transposed = false;

  DType dtype() const { return type == CUDA_R_16BF ? DType::bf16 : type == CUDA_R_16F ? DType::f16 : DType::f32; }
  char* address(int64_t row, int64_t col) const {
    const int64_t at = transposed ? col + row * leading : row + col * leading;
    return static_cast<char*>(data) + at * static_cast<int64_t>(size_of(dtype()));
  }
  float get(int64_t row, int64_t col) const {
    uint64_t bits = 0;
    std::memcpy(&bits, address(row, col), size_of(dtype()));
    return static_cast<float>(to_double(dtype(), bits));
  }
  void put(int64_t row, int64_t col, float value) const {
    const uint64_t bits = from_double(dtype(), value);
    std::memcpy(address(row, col), &bits, size_of(dtype()));
  }
  // Whether op(x) may have this size: what the libraries require of a leading dimension.
  bool fits(int64_t rows, int64_t cols) const { return leading >= std::max<int64_t>(1, transposed ? cols : rows); }
  Matrix after(int64_t elements) const {
    Matrix moved = *this;
    moved.data = static_cast<char*>(data) + elements * static_cast<int64_t>(size_of(dtype()));
    return moved;
  }
  // Row after row of op(x), each element read where it lies.
  std::vector<float> rows_of(int64_t rows, int64_t cols) const {
    std::vector<float> all;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t col = 0; col < cols; ++col) all.push_back(get(row, col));
    return all;
  }
};

// The upper 19 bits of a float, which are all that tensor cores take of it as tf32.
inline float as_tf32(float x) {
  uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  bits &= ~uint32_t{0x1FFF};
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

struct Size {
  int64_t m, n, k;
};

// The dtypes that the libraries multiply in CUBLAS_COMPUTE_32F, of those that callers use.
inline bool are_multiplied(const Matrix& a, const Matrix& b, const Matrix& c) {
  return is_known(a.type) && is_known(c.type) && a.type == b.type && (c.type == a.type || c.type == CUDA_R_32F);
}

inline bool fit(const Size& size, const Matrix& a, const Matrix& b, const Matrix& c) {
  return size.m >= 0 && size.n >= 0 && size.k >= 0 && a.fits(size.m, size.k) && b.fits(size.k, size.n) &&
         c.fits(size.m, size.n);
}

// to = alpha a b + beta from, of (m, n), with sums in f32. `from` is not read when beta is 0. `bias` has an element for
// each row, or is null.
inline void multiply(const Size& size, float alpha, const Matrix& a, const Matrix& b, float beta, const Matrix& from,
                     const Matrix& to, const Matrix& bias = {}, bool tf32 = false) {
  Matrix b_by_column = b;  // read as its transpose
  b_by_column.transposed = !b.transposed;
  std::vector<float> left = a.rows_of(size.m, size.k), right = b_by_column.rows_of(size.n, size.k);
  if (tf32)
    for (std::vector<float>* operand : {&left, &right}) std::ranges::transform(*operand, operand->begin(), as_tf32);
  for (int64_t col = 0; col < size.n; ++col)
    for (int64_t row = 0; row < size.m; ++row) {
      float sum = 0;
      const float *x = left.data() + row * size.k, *y = right.data() + col * size.k;
      for (int64_t i = 0; i < size.k; ++i) sum += x[i] * y[i];
      sum = beta == 0 ? alpha * sum : alpha * sum + beta * from.get(row, col);
      to.put(row, col, bias.data ? sum + bias.get(row, 0) : sum);
    }
}

}  // namespace assay::vendor::fake
