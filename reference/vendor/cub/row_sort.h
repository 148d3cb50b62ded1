// Rows sorted by CUB's segmented radix sort, for the masks that keep the foremost elements of a row.
//
// CUB's order of floats: larger ones first, +0 and -0 as equals, equals as they were. A NaN goes by its bits, so a
// negative one comes last.
#pragma once

#include <cstdint>

#include "harness/tensor/dtype.h"
#include "reference/vendor/scratch.h"

namespace assay::vendor {

class RowSort {
 public:
  // For matrices of this shape, with at least one element.
  static Result<RowSort> make(DType dtype, int64_t rows, int64_t cols);

  // Queues the descending sort of every row of `matrix`; false when CUB refused it, which is remembered.
  bool run(const void* matrix);

  const void* values() const { return values_.get(); }                                      // (rows, cols)
  const uint32_t* columns() const { return static_cast<const uint32_t*>(columns_.get()); }  // where they were

 private:
  RowSort(DType dtype, int64_t rows, int64_t cols) : dtype_(dtype), rows_(rows), cols_(cols) {}
  cudaError_t sort(const void* matrix, void* temporary, size_t& temporary_bytes);

  DType dtype_;
  int64_t rows_, cols_;
  Scratch own_columns_, values_, columns_, temporary_;
  size_t temporary_bytes_ = 0;
};

// Why a matrix cannot be sorted: its number of elements is an int.
std::optional<std::string> too_many_to_sort(int64_t rows, int64_t cols);

}  // namespace assay::vendor
