// Matrices by vectors, sums of matrices, and matrices whose rows or columns are scaled. Arithmetic is in double,
// rounded once.
#include <algorithm>
#include <vector>

#include "harness/program/libraries/level1.h"
#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

// A matrix in memory, by columns.
struct Matrix {
  const void* begin;
  Number type;
  int64_t ld;

  Operand operand(const char* name, int64_t rows, int64_t columns) const {
    return {name, begin, bytes_of(type), rows, columns, ld};
  }
  double at(int64_t i, int64_t j) const { return load<double>(type, begin, i + j * ld); }
  void set(int64_t i, int64_t j, double value) const { store(type, const_cast<void*>(begin), i + j * ld, value); }
};

bool fits(int64_t rows, int64_t columns, int64_t ld) {
  return rows >= 0 && columns >= 0 && ld >= std::max<int64_t>(rows, 1);
}

// y = alpha op(A) x + beta y; A has m x n elements.
cublasStatus_t gemv(cublasHandle_t handle, const char* name, cublasOperation_t operation, int64_t m, int64_t n,
                    const void* alpha, Matrix a, Vector x, const void* beta, Vector y) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || beta == nullptr || !fits(m, n, a.ld) || x.step == 0 || y.step == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const bool is_transposed = operation != CUBLAS_OP_N;
  const int64_t from = is_transposed ? m : n, to = is_transposed ? n : m;
  const Scalar by(handle->pointer_mode, a.type, alpha), with(handle->pointer_mode, a.type, beta);
  return submit_library(name, handle->stream, [=](GpuProcess& process) {
    double factor = 0, share = 0;
    if (!by.read(process, name, "alpha", factor) || !with.read(process, name, "beta", share))
      return cudaErrorInvalidValue;
    if ((factor != 0 &&
         (!can_read(process, name, a.operand("A", m, n)) || !can_read(process, name, x.operand("x", from)))) ||
        (share != 0 && !can_read(process, name, y.operand("y", to))) || !can_write(process, name, y.operand("y", to)))
      return cudaErrorInvalidValue;
    std::vector<double> sums(static_cast<size_t>(to));
    if (factor != 0)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i)
          sums[static_cast<size_t>(is_transposed ? j : i)] += a.at(i, j) * x.at(is_transposed ? i : j, from);
    for (int64_t i = 0; i < to; ++i)
      y.set(i, to, factor * sums[static_cast<size_t>(i)] + (share == 0 ? 0 : share * y.at(i, to)));
    wrote(y.operand("y", to));
    return cudaSuccess;
  });
}

// A += alpha x y'.
cublasStatus_t ger(cublasHandle_t handle, const char* name, int64_t m, int64_t n, const void* alpha, Vector x, Vector y,
                   Matrix a) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || !fits(m, n, a.ld) || x.step == 0 || y.step == 0) return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar by(handle->pointer_mode, a.type, alpha);
  return submit_library(name, handle->stream, [=](GpuProcess& process) {
    double factor = 0;
    if (!by.read(process, name, "alpha", factor) || !can_read(process, name, x.operand("x", m)) ||
        !can_read(process, name, y.operand("y", n)) || !can_read(process, name, a.operand("A", m, n)))
      return cudaErrorInvalidValue;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) a.set(i, j, factor * x.at(i, m) * y.at(j, n) + a.at(i, j));
    wrote(a.operand("A", m, n));
    return cudaSuccess;
  });
}

// C = alpha op(A) + beta op(B), where C may be A or B if that is not transposed.
cublasStatus_t geam(cublasHandle_t handle, const char* name, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m,
                    int64_t n, const void* alpha, Matrix a, const void* beta, Matrix b, Matrix c) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool turns_a = op_a != CUBLAS_OP_N, turns_b = op_b != CUBLAS_OP_N;
  if (alpha == nullptr || beta == nullptr || !fits(turns_a ? n : m, turns_a ? m : n, a.ld) ||
      !fits(turns_b ? n : m, turns_b ? m : n, b.ld) || !fits(m, n, c.ld) || (turns_a && a.begin == c.begin) ||
      (turns_b && b.begin == c.begin))
    return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar by(handle->pointer_mode, a.type, alpha), with(handle->pointer_mode, a.type, beta);
  return submit_library(name, handle->stream, [=](GpuProcess& process) {
    double of_a = 0, of_b = 0;
    if (!by.read(process, name, "alpha", of_a) || !with.read(process, name, "beta", of_b)) return cudaErrorInvalidValue;
    const auto is_readable = [&](double factor, const Matrix& matrix, const char* which, bool turns) {
      return factor == 0 || can_read(process, name, matrix.operand(which, turns ? n : m, turns ? m : n));
    };
    if (!is_readable(of_a, a, "A", turns_a) || !is_readable(of_b, b, "B", turns_b) ||
        !can_write(process, name, c.operand("C", m, n)))
      return cudaErrorInvalidValue;
    const auto share = [](double factor, const Matrix& matrix, bool turns, int64_t i, int64_t j) {
      return factor == 0 ? 0 : factor * (turns ? matrix.at(j, i) : matrix.at(i, j));
    };
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) c.set(i, j, share(of_a, a, turns_a, i, j) + share(of_b, b, turns_b, i, j));
    wrote(c.operand("C", m, n));
    return cudaSuccess;
  });
}

// C = A diag(x), or diag(x) A.
cublasStatus_t dgmm(cublasHandle_t handle, const char* name, cublasSideMode_t side, int64_t m, int64_t n, Matrix a,
                    Vector x, Matrix c) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!fits(m, n, a.ld) || !fits(m, n, c.ld)) return CUBLAS_STATUS_INVALID_VALUE;
  const bool is_left = side == CUBLAS_SIDE_LEFT;
  const int64_t count = is_left ? m : n;
  return submit_library(name, handle->stream, [=](GpuProcess& process) {
    if (!can_read(process, name, a.operand("A", m, n)) || !can_read(process, name, x.operand("x", count)) ||
        !can_write(process, name, c.operand("C", m, n)))
      return cudaErrorInvalidValue;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) c.set(i, j, a.at(i, j) * x.at(is_left ? i : j, count));
    wrote(c.operand("C", m, n));
    return cudaSuccess;
  });
}

}  // namespace

#define ASSAY_LEVEL2(S, version, suffix, Int, T, type)                                                                 \
  ASSAY_EXPORTED cublasStatus_t cublas##S##gemv##version##suffix(                                                      \
      cublasHandle_t handle, cublasOperation_t operation, Int m, Int n, const T* alpha, const T* a, Int lda,           \
      const T* x, Int x_step, const T* beta, T* y, Int y_step) {                                                       \
    return gemv(handle, "cublas" #S "gemv", operation, m, n, alpha, {a, type, lda}, {x, type, x_step}, beta,           \
                {y, type, y_step});                                                                                    \
  }                                                                                                                    \
  ASSAY_EXPORTED cublasStatus_t cublas##S##ger##version##suffix(cublasHandle_t handle, Int m, Int n, const T* alpha,   \
                                                                const T* x, Int x_step, const T* y, Int y_step, T* a,  \
                                                                Int lda) {                                             \
    return ger(handle, "cublas" #S "ger", m, n, alpha, {x, type, x_step}, {y, type, y_step}, {a, type, lda});          \
  }                                                                                                                    \
  ASSAY_EXPORTED cublasStatus_t cublas##S##geam##suffix(                                                               \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, const T* alpha, const T* a, \
      Int lda, const T* beta, const T* b, Int ldb, T* c, Int ldc) {                                                    \
    return geam(handle, "cublas" #S "geam", op_a, op_b, m, n, alpha, {a, type, lda}, beta, {b, type, ldb},             \
                {c, type, ldc});                                                                                       \
  }                                                                                                                    \
  ASSAY_EXPORTED cublasStatus_t cublas##S##dgmm##suffix(cublasHandle_t handle, cublasSideMode_t side, Int m, Int n,    \
                                                        const T* a, Int lda, const T* x, Int x_step, T* c, Int ldc) {  \
    return dgmm(handle, "cublas" #S "dgmm", side, m, n, {a, type, lda}, {x, type, x_step}, {c, type, ldc});            \
  }
ASSAY_LEVEL2(S, _v2, , int, float, Number::f32)
ASSAY_LEVEL2(S, _v2, _64, int64_t, float, Number::f32)
ASSAY_LEVEL2(D, _v2, , int, double, Number::f64)
ASSAY_LEVEL2(D, _v2, _64, int64_t, double, Number::f64)
#undef ASSAY_LEVEL2

}  // namespace assay::program
