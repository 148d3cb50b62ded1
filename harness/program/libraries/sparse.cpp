// cuSPARSE's handle, its descriptions, and the texts of a status.
#include "harness/program/libraries/sparse.h"

#include <fmt/format.h>

#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

template <class Description>
cusparseStatus_t describe(Description** result, cusparseIndexType_t index, int value_type, Description description) {
  if (result == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (index == CUSPARSE_INDEX_16U || bytes_of(static_cast<Number>(value_type)) == 0)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  *result = new Description(description);
  return CUSPARSE_STATUS_SUCCESS;
}

template <class Description>
cusparseStatus_t forget(Description* description) {
  delete description;
  return description == nullptr ? CUSPARSE_STATUS_INVALID_VALUE : CUSPARSE_STATUS_SUCCESS;
}

Values values_of(void* begin, int type) { return {begin, static_cast<Number>(type)}; }

}  // namespace

bool is_index(GpuProcess& process, const char* call, const char* name, int64_t index, int64_t end) {
  if (index >= 0 && index < end) return true;
  process.found(simt::Kind::out_of_bounds,
                fmt::format("{} is given {} {} where there are {}", call, name, index, end), call);
  return false;
}

bool SparseMatrix::is_readable(GpuProcess& process, const char* call) const {
  return can_read(process, call, row_indices.operand("the rows of A", has_offsets ? rows + 1 : nnz)) &&
         can_read(process, call, column_indices.operand("the columns of A", nnz)) &&
         can_read(process, call, values.operand("the values of A", nnz));
}

ASSAY_EXPORTED cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  if (handle == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *handle = new cusparseContext;
  return CUSPARSE_STATUS_SUCCESS;
}
ASSAY_EXPORTED cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) { return forget(handle); }
ASSAY_EXPORTED cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}
ASSAY_EXPORTED cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cublasPointerMode_t mode) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  handle->pointer_mode = mode;
  return CUSPARSE_STATUS_SUCCESS;
}
ASSAY_EXPORTED const char* cusparseGetErrorString(cusparseStatus_t status) {
  switch (status) {
    case CUSPARSE_STATUS_SUCCESS:
      return "success";
    case CUSPARSE_STATUS_NOT_INITIALIZED:
      return "initialization error";
    case CUSPARSE_STATUS_INVALID_VALUE:
      return "invalid value";
    case CUSPARSE_STATUS_EXECUTION_FAILED:
      return "kernel launch failure";
    case CUSPARSE_STATUS_NOT_SUPPORTED:
      return "operation not supported";
  }
  return "unknown error";
}

// A description of the old kind: matrices are general ones that count from 0, as a new one says.
ASSAY_EXPORTED cusparseStatus_t cusparseCreateMatDescr(int** description) {
  if (description == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *description = new int(0);
  return CUSPARSE_STATUS_SUCCESS;
}
ASSAY_EXPORTED cusparseStatus_t cusparseDestroyMatDescr(int* description) { return forget(description); }
ASSAY_EXPORTED cusparseStatus_t cusparseSetMatType(int*, int type) {
  return type == 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}
ASSAY_EXPORTED cusparseStatus_t cusparseSetMatIndexBase(int* description, int base) {
  if (description == nullptr || base < 0 || base > 1) return CUSPARSE_STATUS_INVALID_VALUE;
  *description = base;
  return CUSPARSE_STATUS_SUCCESS;
}

ASSAY_EXPORTED cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* result, int64_t size, int64_t nnz,
                                                    void* indices, void* values, cusparseIndexType_t index, int base,
                                                    int type) {
  return describe(result, index, type, {size, nnz, {indices, index, base}, values_of(values, type)});
}
ASSAY_EXPORTED cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* result, int64_t size, void* values,
                                                    int type) {
  return describe(result, CUSPARSE_INDEX_32I, type, {size, values_of(values, type)});
}
ASSAY_EXPORTED cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* result, int64_t rows, int64_t columns,
                                                    int64_t ld, void* values, int type, cusparseOrder_t order) {
  if (ld < (order == CUSPARSE_ORDER_ROW ? columns : rows)) return CUSPARSE_STATUS_INVALID_VALUE;
  return describe(result, CUSPARSE_INDEX_32I, type, {rows, columns, ld, values_of(values, type), order});
}
ASSAY_EXPORTED cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* result, int64_t rows, int64_t columns,
                                                  int64_t nnz, void* offsets, void* column_indices, void* values,
                                                  cusparseIndexType_t offset, cusparseIndexType_t index, int base,
                                                  int type) {
  return describe(
      result, std::min(offset, index), type,
      {true, rows, columns, nnz, {offsets, offset, base}, {column_indices, index, base}, values_of(values, type)});
}
ASSAY_EXPORTED cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* result, int64_t rows, int64_t columns,
                                                  int64_t nnz, void* row_indices, void* column_indices, void* values,
                                                  cusparseIndexType_t index, int base, int type) {
  return describe(
      result, index, type,
      {false, rows, columns, nnz, {row_indices, index, base}, {column_indices, index, base}, values_of(values, type)});
}
ASSAY_EXPORTED cusparseStatus_t cusparseDestroySpVec(cusparseSpVecDescr_t vector) { return forget(vector); }
ASSAY_EXPORTED cusparseStatus_t cusparseDestroyDnVec(cusparseDnVecDescr_t vector) { return forget(vector); }
ASSAY_EXPORTED cusparseStatus_t cusparseDestroySpMat(cusparseSpMatDescr_t matrix) { return forget(matrix); }
ASSAY_EXPORTED cusparseStatus_t cusparseDestroyDnMat(cusparseDnMatDescr_t matrix) { return forget(matrix); }

}  // namespace assay::program
