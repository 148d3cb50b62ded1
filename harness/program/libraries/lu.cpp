// Factors of square matrices, a batch by pointers: A = P L U, with or without exchanges of rows. Arithmetic is in the
// matrices' type.
#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/program/libraries/blas_handle.h"
#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

// Puts L and U in A's place; a pivot's row, from 1, in `pivots` unless that is null. Returns the number of the first
// zero on U's diagonal, from 1; 0: there is none.
template <class T>
int factorise(T* a, int64_t n, int64_t lda, int* pivots) {
  int singular = 0;
  const auto at = [&](int64_t i, int64_t j) -> T& { return a[i + j * lda]; };
  for (int64_t k = 0; k < n; ++k) {
    int64_t row = k;
    if (pivots != nullptr) {
      for (int64_t i = k + 1; i < n; ++i)
        if (std::abs(at(i, k)) > std::abs(at(row, k))) row = i;
      pivots[k] = static_cast<int>(row) + 1;
    }
    if (at(row, k) == 0) {
      if (singular == 0) singular = static_cast<int>(k) + 1;
      continue;
    }
    if (row != k)
      for (int64_t j = 0; j < n; ++j) std::swap(at(k, j), at(row, j));
    for (int64_t i = k + 1; i < n; ++i) at(i, k) /= at(k, k);
    for (int64_t j = k + 1; j < n; ++j)
      for (int64_t i = k + 1; i < n; ++i) at(i, j) -= at(i, k) * at(k, j);
  }
  return singular;
}

template <class T>
cublasStatus_t factorise_batch(cublasHandle_t handle, const char* name, int64_t n, T* const* matrices, int64_t lda,
                               int* pivots, int* info, int64_t batches) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n < 0 || batches < 0 || lda < std::max<int64_t>(n, 1)) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0 || batches == 0) return CUBLAS_STATUS_SUCCESS;
  return submit_library(name, handle->stream, [=](GpuProcess& process) {
    const Operand all_pivots = vector_operand("the pivots", pivots, sizeof(int), n * batches, 1);
    const Operand all_info = vector_operand("the infos", info, sizeof(int), batches, 1);
    if (!can_read(process, name, vector_operand("the array of pointers", matrices, sizeof(T*), batches, 1)) ||
        (pivots != nullptr && !can_write(process, name, all_pivots)) || !can_write(process, name, all_info))
      return cudaErrorInvalidValue;
    const std::vector<T*> begins(matrices, matrices + batches);
    for (T* const begin : begins)
      if (!can_read(process, name, {"A", begin, sizeof(T), n, n, lda})) return cudaErrorInvalidValue;
    for (size_t i = 0; i < begins.size(); ++i) {
      info[i] = factorise(begins[i], n, lda, pivots == nullptr ? nullptr : pivots + static_cast<int64_t>(i) * n);
      wrote({"A", begins[i], sizeof(T), n, n, lda});
    }
    if (pivots != nullptr) wrote(all_pivots);
    wrote(all_info);
    return cudaSuccess;
  });
}

}  // namespace

ASSAY_EXPORTED cublasStatus_t cublasSgetrfBatched(cublasHandle_t handle, int n, float* const* a, int lda, int* pivots,
                                                  int* info, int batches) {
  return factorise_batch(handle, "cublasSgetrfBatched", n, a, lda, pivots, info, batches);
}
ASSAY_EXPORTED cublasStatus_t cublasDgetrfBatched(cublasHandle_t handle, int n, double* const* a, int lda, int* pivots,
                                                  int* info, int batches) {
  return factorise_batch(handle, "cublasDgetrfBatched", n, a, lda, pivots, info, batches);
}

}  // namespace assay::program
