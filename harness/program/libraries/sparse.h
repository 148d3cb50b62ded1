// cuSPARSE's handle and its descriptions of sparse and dense operands, with what its calls have in common: an index
// that leads out of its matrix is a finding. Real numbers, CSR and COO; arithmetic is in double, rounded once.
#pragma once

#include <utility>

#include "harness/program/libraries/blas_handle.h"

enum cusparseStatus_t : int {
  CUSPARSE_STATUS_SUCCESS = 0,
  CUSPARSE_STATUS_NOT_INITIALIZED = 1,
  CUSPARSE_STATUS_INVALID_VALUE = 3,
  CUSPARSE_STATUS_EXECUTION_FAILED = 6,
  CUSPARSE_STATUS_NOT_SUPPORTED = 10,
};
struct cusparseContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
};
using cusparseHandle_t = cusparseContext*;
enum cusparseIndexType_t : int { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I };
enum cusparseOrder_t : int { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW };

namespace assay::program {

// Integers in memory that count from `base`.
struct Indices {
  void* begin;
  cusparseIndexType_t type;
  int64_t base;

  Operand operand(const char* name, int64_t count) const {
    return {name, begin, type == CUSPARSE_INDEX_64I ? size_t{8} : size_t{4}, 1, count, 1};
  }
  int64_t at(int64_t i) const {
    return (type == CUSPARSE_INDEX_64I ? static_cast<const int64_t*>(begin)[i]
                                       : static_cast<const int32_t*>(begin)[i]) -
           base;
  }
  void set(int64_t i, int64_t value) const {
    if (type == CUSPARSE_INDEX_64I)
      static_cast<int64_t*>(begin)[i] = value + base;
    else
      static_cast<int32_t*>(begin)[i] = static_cast<int32_t>(value + base);
  }
};

struct Values {
  void* begin;
  Number type;

  Operand operand(const char* name, int64_t count) const { return {name, begin, bytes_of(type), 1, count, 1}; }
  double at(int64_t i) const { return load<double>(type, begin, i); }
  void set(int64_t i, double value) const { store(type, begin, i, value); }
};

struct SparseVector {
  int64_t size, nnz;
  Indices indices;
  Values values;
};
struct DenseVector {
  int64_t size;
  Values values;
};
// Rows are by their offsets (CSR: rows + 1 of them) or by the row of each element (COO).
struct SparseMatrix {
  bool has_offsets;
  int64_t rows, columns, nnz;
  Indices row_indices, column_indices;
  Values values;

  bool is_readable(GpuProcess& process, const char* call) const;
  // Calls body(row, column, value) for each element. Returns false after a finding: an index leads out of the matrix.
  template <class Body>
  bool for_each(GpuProcess& process, const char* call, const Body& body) const;
};
struct DenseMatrix {
  int64_t rows, columns, ld;
  Values values;
  cusparseOrder_t order;

  Operand operand(const char* name) const {
    const bool by_rows = order == CUSPARSE_ORDER_ROW;
    return {name, values.begin, bytes_of(values.type), by_rows ? columns : rows, by_rows ? rows : columns, ld};
  }
  int64_t place(int64_t row, int64_t column) const {
    return order == CUSPARSE_ORDER_ROW ? row * ld + column : row + column * ld;
  }
};

// False: a finding, that `index` of the operand is outside of 0 to `end`.
bool is_index(GpuProcess& process, const char* call, const char* name, int64_t index, int64_t end);

template <class Body>
bool SparseMatrix::for_each(GpuProcess& process, const char* call, const Body& body) const {
  const auto visit = [&](int64_t row, int64_t i) {
    const int64_t column = column_indices.at(i);
    if (!is_index(process, call, "a row", row, rows) || !is_index(process, call, "a column", column, columns))
      return false;
    body(row, column, values.at(i));
    return true;
  };
  if (!has_offsets) {
    for (int64_t i = 0; i < nnz; ++i)
      if (!visit(row_indices.at(i), i)) return false;
    return true;
  }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = row_indices.at(row); i < row_indices.at(row + 1); ++i)
      if (!is_index(process, call, "an offset", i, nnz) || !visit(row, i)) return false;
  return true;
}

// Does the work in the handle's stream. `body`: from the process to whether it could be done.
template <class Body>
cusparseStatus_t submit_sparse(const char* name, cusparseHandle_t handle, Body body) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  const cublasStatus_t status = submit_library(name, handle->stream, [body = std::move(body)](GpuProcess& process) {
    return body(process) ? cudaSuccess : cudaErrorInvalidValue;
  });
  return status == CUBLAS_STATUS_SUCCESS ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

}  // namespace assay::program

using cusparseSpVecDescr_t = assay::program::SparseVector*;
using cusparseDnVecDescr_t = assay::program::DenseVector*;
using cusparseSpMatDescr_t = assay::program::SparseMatrix*;
using cusparseDnMatDescr_t = assay::program::DenseMatrix*;
