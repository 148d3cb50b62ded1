// cuSPARSE's products of sparse matrices, its conversions, and the sort of the columns of rows.
#include <algorithm>
#include <vector>

#include "harness/program/libraries/sparse.h"
#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

// Workspaces are asked for and not used; some bytes, so that one that is never freed is a leak here, too.
cusparseStatus_t buffer_size(size_t* bytes) {
  if (bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *bytes = 4;
  return CUSPARSE_STATUS_SUCCESS;
}

// The names of what a product reads and writes beside A.
struct Names {
  const char *call, *from, *into;
};

// C = alpha op(A) op(B) + beta C. Vectors are matrices of one column.
cusparseStatus_t multiply(const Names& names, cusparseHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                          const void* alpha, const SparseMatrix* a, const DenseMatrix& b, const void* beta,
                          const DenseMatrix& c, int compute_type) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || beta == nullptr || a == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const Number number = static_cast<Number>(compute_type);
  if (bytes_of(number) == 0) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const bool turns_a = op_a != CUBLAS_OP_N, turns_b = op_b != CUBLAS_OP_N;
  if (c.rows != (turns_a ? a->columns : a->rows) || c.columns != (turns_b ? b.rows : b.columns) ||
      (turns_a ? a->rows : a->columns) != (turns_b ? b.columns : b.rows))
    return CUSPARSE_STATUS_INVALID_VALUE;
  const Scalar by(handle->pointer_mode, number, alpha), with(handle->pointer_mode, number, beta);
  return submit_sparse(names.call, handle, [=, a = *a](GpuProcess& process) {
    const char* const name = names.call;
    const Operand from = b.operand(names.from), into = c.operand(names.into);
    double factor = 0, share = 0;
    if (!by.read(process, name, "alpha", factor) || !with.read(process, name, "beta", share) ||
        !a.is_readable(process, name) || !can_read(process, name, from) ||
        (share != 0 && !can_read(process, name, into)) || !can_write(process, name, into))
      return false;
    std::vector<double> sums(static_cast<size_t>(c.rows * c.columns));
    const bool is_whole = a.for_each(process, name, [&](int64_t row, int64_t column, double value) {
      if (turns_a) std::swap(row, column);
      double* const sum = &sums[static_cast<size_t>(row * c.columns)];
      for (int64_t j = 0; j < c.columns; ++j)
        sum[j] += value * b.values.at(turns_b ? b.place(j, column) : b.place(column, j));
    });
    if (!is_whole) return false;
    for (int64_t i = 0; i < c.rows; ++i)
      for (int64_t j = 0; j < c.columns; ++j) {
        const int64_t place = c.place(i, j);
        const double before = share == 0 ? 0 : share * c.values.at(place);
        c.values.set(place, factor * sums[static_cast<size_t>(i * c.columns + j)] + before);
      }
    wrote(into);
    return true;
  });
}

DenseMatrix as_column(const DenseVector& vector) {
  return {vector.size, 1, std::max<int64_t>(vector.size, 1), vector.values, CUSPARSE_ORDER_COL};
}

}  // namespace

ASSAY_EXPORTED cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cublasOperation_t, const void*,
                                                        cusparseSpMatDescr_t, cusparseDnVecDescr_t, const void*,
                                                        cusparseDnVecDescr_t, int, int, size_t* bytes) {
  return buffer_size(bytes);
}
ASSAY_EXPORTED cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cublasOperation_t operation, const void* alpha,
                                             cusparseSpMatDescr_t a, cusparseDnVecDescr_t x, const void* beta,
                                             cusparseDnVecDescr_t y, int compute_type, int, void*) {
  if (x == nullptr || y == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return multiply({"cusparseSpMV", "x", "y"}, handle, operation, CUBLAS_OP_N, alpha, a, as_column(*x), beta, as_column(*y),
                  compute_type);
}
ASSAY_EXPORTED cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cublasOperation_t, cublasOperation_t,
                                                        const void*, cusparseSpMatDescr_t, cusparseDnMatDescr_t,
                                                        const void*, cusparseDnMatDescr_t, int, int, size_t* bytes) {
  return buffer_size(bytes);
}
ASSAY_EXPORTED cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                                             const void* alpha, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b,
                                             const void* beta, cusparseDnMatDescr_t c, int compute_type, int, void*) {
  if (b == nullptr || c == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return multiply({"cusparseSpMM", "B", "C"}, handle, op_a, op_b, alpha, a, *b, beta, *c, compute_type);
}

// y = alpha x + beta y.
ASSAY_EXPORTED cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha, cusparseSpVecDescr_t x_given,
                                              const void* beta, cusparseDnVecDescr_t y_given) {
  static constexpr const char* kName = "cusparseAxpby";
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || beta == nullptr || x_given == nullptr || y_given == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const SparseVector x = *x_given;
  const DenseVector y = *y_given;
  const Scalar by(handle->pointer_mode, x.values.type, alpha), with(handle->pointer_mode, y.values.type, beta);
  return submit_sparse(kName, handle, [=](GpuProcess& process) {
    double factor = 0, share = 0;
    const Operand into = y.values.operand("y", y.size);
    if (!by.read(process, kName, "alpha", factor) || !with.read(process, kName, "beta", share) ||
        !can_read(process, kName, x.indices.operand("the indices of x", x.nnz)) ||
        !can_read(process, kName, x.values.operand("the values of x", x.nnz)) || !can_read(process, kName, into))
      return false;
    if (share != 1)
      for (int64_t i = 0; i < y.size; ++i) y.values.set(i, share * y.values.at(i));
    for (int64_t i = 0; i < x.nnz; ++i) {
      const int64_t index = x.indices.at(i);
      if (!is_index(process, kName, "an index", index, y.size)) return false;
      y.values.set(index, factor * x.values.at(i) + y.values.at(index));
    }
    wrote(into);
    return true;
  });
}

// x gets the elements of y that its indices name.
ASSAY_EXPORTED cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseDnVecDescr_t y_given,
                                               cusparseSpVecDescr_t x_given) {
  static constexpr const char* kName = "cusparseGather";
  if (x_given == nullptr || y_given == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return submit_sparse(kName, handle, [x = *x_given, y = *y_given](GpuProcess& process) {
    const Operand into = x.values.operand("the values of x", x.nnz);
    if (!can_read(process, kName, x.indices.operand("the indices of x", x.nnz)) ||
        !can_read(process, kName, y.values.operand("y", y.size)) || !can_write(process, kName, into))
      return false;
    for (int64_t i = 0; i < x.nnz; ++i) {
      const int64_t index = x.indices.at(i);
      if (!is_index(process, kName, "an index", index, y.size)) return false;
      x.values.set(i, y.values.at(index));
    }
    wrote(into);
    return true;
  });
}

ASSAY_EXPORTED cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t, cusparseSpMatDescr_t,
                                                                 cusparseDnMatDescr_t, int, size_t* bytes) {
  return buffer_size(bytes);
}
ASSAY_EXPORTED cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseSpMatDescr_t a_given,
                                                      cusparseDnMatDescr_t b_given, int, void*) {
  static constexpr const char* kName = "cusparseSparseToDense";
  if (a_given == nullptr || b_given == nullptr || a_given->rows != b_given->rows ||
      a_given->columns != b_given->columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return submit_sparse(kName, handle, [a = *a_given, b = *b_given](GpuProcess& process) {
    if (!a.is_readable(process, kName) || !can_write(process, kName, b.operand("B"))) return false;
    for (int64_t i = 0; i < b.rows; ++i)
      for (int64_t j = 0; j < b.columns; ++j) b.values.set(b.place(i, j), 0);
    const bool is_whole = a.for_each(
        process, kName, [&](int64_t row, int64_t column, double value) { b.values.set(b.place(row, column), value); });
    wrote(b.operand("B"));
    return is_whole;
  });
}

ASSAY_EXPORTED cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t, int, int, int, const void*, const int*,
                                                              const int*, void*, int*, int*, int, int, int, int,
                                                              size_t* bytes) {
  return buffer_size(bytes);
}
// Writes the matrix by columns, rows of a column ascending. `action` 0: without the values.
ASSAY_EXPORTED cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, void* values,
                                                   int* offsets, int* columns, void* to_values, int* to_offsets,
                                                   int* to_rows, int type, int action, int base, int, void*) {
  static constexpr const char* kName = "cusparseCsr2cscEx2";
  if (bytes_of(static_cast<Number>(type)) == 0) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const auto indices = [base](int* begin) { return Indices{begin, CUSPARSE_INDEX_32I, base}; };
  const Values from{values, static_cast<Number>(type)}, to{to_values, static_cast<Number>(type)};
  const SparseMatrix a{true, m, n, nnz, indices(offsets), indices(columns), from};
  return submit_sparse(kName, handle, [=](GpuProcess& process) {
    const Indices starts = indices(to_offsets), rows = indices(to_rows);
    const bool has_values = action != 0;
    if (!a.is_readable(process, kName) || !can_write(process, kName, starts.operand("cscColPtr", n + 1)) ||
        !can_write(process, kName, rows.operand("cscRowInd", nnz)) ||
        (has_values && !can_write(process, kName, to.operand("cscVal", nnz))))
      return false;
    std::vector<int64_t> next(static_cast<size_t>(n) + 1);
    if (!a.for_each(process, kName, [&](int64_t, int64_t column, double) { ++next[static_cast<size_t>(column) + 1]; }))
      return false;
    for (size_t j = 1; j < next.size(); ++j) next[j] += next[j - 1];
    for (int64_t j = 0; j <= n; ++j) starts.set(j, next[static_cast<size_t>(j)]);
    a.for_each(process, kName, [&](int64_t row, int64_t column, double value) {
      const int64_t place = next[static_cast<size_t>(column)]++;
      rows.set(place, row);
      if (has_values) to.set(place, value);
    });
    wrote(starts.operand("cscColPtr", n + 1));
    wrote(rows.operand("cscRowInd", nnz));
    if (has_values) wrote(to.operand("cscVal", nnz));
    return true;
  });
}

ASSAY_EXPORTED cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* permutation) {
  static constexpr const char* kName = "cusparseCreateIdentityPermutation";
  return submit_sparse(kName, handle, [=](GpuProcess& process) {
    const Indices into{permutation, CUSPARSE_INDEX_32I, 0};
    if (!can_write(process, kName, into.operand("p", n))) return false;
    for (int i = 0; i < n; ++i) into.set(i, i);
    wrote(into.operand("p", n));
    return true;
  });
}
ASSAY_EXPORTED cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t, int, int, int, const int*, const int*,
                                                               size_t* bytes) {
  return buffer_size(bytes);
}
// Sorts the columns of each row; the permutation, if there is one, goes with them.
ASSAY_EXPORTED cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int, int nnz, const int* description,
                                                 int* offsets, int* columns, int* permutation, void*) {
  static constexpr const char* kName = "cusparseXcsrsort";
  if (description == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const Indices starts{offsets, CUSPARSE_INDEX_32I, *description}, sorted{columns, CUSPARSE_INDEX_32I, 0},
      moved{permutation, CUSPARSE_INDEX_32I, 0};
  return submit_sparse(kName, handle, [=](GpuProcess& process) {
    if (!can_read(process, kName, starts.operand("csrRowPtr", m + 1)) ||
        !can_read(process, kName, sorted.operand("csrColInd", nnz)) ||
        (permutation != nullptr && !can_read(process, kName, moved.operand("P", nnz))))
      return false;
    std::vector<std::pair<int64_t, int64_t>> row;
    for (int i = 0; i < m; ++i) {
      const int64_t begin = starts.at(i), end = starts.at(i + 1);
      if (!is_index(process, kName, "an offset", begin, nnz + 1) ||
          !is_index(process, kName, "an offset", end, nnz + 1))
        return false;
      row.clear();
      for (int64_t k = begin; k < end; ++k) row.emplace_back(sorted.at(k), permutation == nullptr ? 0 : moved.at(k));
      std::stable_sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
      for (int64_t k = begin; k < end; ++k) {
        sorted.set(k, row[static_cast<size_t>(k - begin)].first);
        if (permutation != nullptr) moved.set(k, row[static_cast<size_t>(k - begin)].second);
      }
    }
    wrote(sorted.operand("csrColInd", nnz));
    if (permutation != nullptr) wrote(moved.operand("P", nnz));
    return true;
  });
}

}  // namespace assay::program
