// cublasSetMatrix and its like: copies between the host and the device, by columns or with increments.
#include <algorithm>

#include "harness/program/libraries/blas_handle.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/memory_work.h"

namespace assay::program {
namespace {

// Columns of a matrix are the rows of a copy. A vector with an increment is a matrix of one row.
struct Columns {
  size_t bytes;  // of one
  size_t count, from_pitch, to_pitch;
};

cublasStatus_t copy_columns(const char* name, void* to, const void* from, const Columns& columns, cudaMemcpyKind kind) {
  const cudaError_t error = synchronous(name, [&] {
    return copy_rows(name, to, columns.to_pitch, from, columns.from_pitch, columns.bytes, columns.count, kind);
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

cublasStatus_t copy_columns_in(const char* name, void* to, const void* from, const Columns& columns,
                               cudaMemcpyKind kind, cudaStream_t stream) {
  cudaMemcpy3DParms params{};
  params.dstPtr = {to, columns.to_pitch, columns.bytes, columns.count};
  params.srcPtr = {const_cast<void*>(from), columns.from_pitch, columns.bytes, columns.count};
  params.extent = {columns.bytes, columns.count, 1};
  params.kind = kind;
  return submit(name, stream, CopyWork{params}) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

bool is_valid(int64_t rows, int64_t columns, int64_t bytes, int64_t from_ld, int64_t to_ld) {
  return rows >= 0 && columns >= 0 && bytes > 0 && from_ld >= std::max<int64_t>(rows, 1) &&
         to_ld >= std::max<int64_t>(rows, 1);
}
Columns matrix(int64_t rows, int64_t columns, int64_t bytes, int64_t from_ld, int64_t to_ld) {
  const auto size = static_cast<size_t>(bytes);
  return {static_cast<size_t>(rows) * size, static_cast<size_t>(columns), static_cast<size_t>(from_ld) * size,
          static_cast<size_t>(to_ld) * size};
}

}  // namespace

// Both widths of integers, each with a form that is ordered by a stream.
#define ASSAY_BLAS_COPIES(Direction, kind, suffix, Int)                                                                \
  ASSAY_EXPORTED cublasStatus_t cublas##Direction##Matrix##suffix(Int rows, Int columns, Int bytes, const void* from,  \
                                                                  Int from_ld, void* to, Int to_ld) {                  \
    if (!is_valid(rows, columns, bytes, from_ld, to_ld)) return CUBLAS_STATUS_INVALID_VALUE;                           \
    return copy_columns("cublas" #Direction "Matrix", to, from, matrix(rows, columns, bytes, from_ld, to_ld), kind);   \
  }                                                                                                                    \
  ASSAY_EXPORTED cublasStatus_t cublas##Direction##MatrixAsync##suffix(                                                \
      Int rows, Int columns, Int bytes, const void* from, Int from_ld, void* to, Int to_ld, cudaStream_t stream) {     \
    if (!is_valid(rows, columns, bytes, from_ld, to_ld)) return CUBLAS_STATUS_INVALID_VALUE;                           \
    return copy_columns_in("cublas" #Direction "MatrixAsync", to, from, matrix(rows, columns, bytes, from_ld, to_ld),  \
                           kind, stream);                                                                              \
  }                                                                                                                    \
  ASSAY_EXPORTED cublasStatus_t cublas##Direction##Vector##suffix(Int n, Int bytes, const void* from, Int from_step,   \
                                                                  void* to, Int to_step) {                             \
    if (!is_valid(1, n, bytes, from_step, to_step)) return CUBLAS_STATUS_INVALID_VALUE;                                \
    return copy_columns("cublas" #Direction "Vector", to, from, matrix(1, n, bytes, from_step, to_step), kind);        \
  }                                                                                                                    \
  ASSAY_EXPORTED cublasStatus_t cublas##Direction##VectorAsync##suffix(                                                \
      Int n, Int bytes, const void* from, Int from_step, void* to, Int to_step, cudaStream_t stream) {                 \
    if (!is_valid(1, n, bytes, from_step, to_step)) return CUBLAS_STATUS_INVALID_VALUE;                                \
    return copy_columns_in("cublas" #Direction "VectorAsync", to, from, matrix(1, n, bytes, from_step, to_step), kind, \
                           stream);                                                                                    \
  }
ASSAY_BLAS_COPIES(Set, cudaMemcpyHostToDevice, , int)
ASSAY_BLAS_COPIES(Set, cudaMemcpyHostToDevice, _64, int64_t)
ASSAY_BLAS_COPIES(Get, cudaMemcpyDeviceToHost, , int)
ASSAY_BLAS_COPIES(Get, cudaMemcpyDeviceToHost, _64, int64_t)
#undef ASSAY_BLAS_COPIES

}  // namespace assay::program
