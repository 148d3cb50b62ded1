// Parts of descriptions of graphs.
#include <algorithm>

#include "reference/vendor/cudnn_graph/graph.h"

namespace assay::vendor {

GraphTensor flat(std::string name, DType dtype, int64_t elements) {
  return matrix(std::move(name), dtype, 1, elements, elements);
}

GraphTensor matrix(std::string name, DType dtype, int64_t rows, int64_t cols, int64_t row_stride) {
  return {std::move(name), dtype, {1, rows, cols}, {rows * row_stride, row_stride, 1}};
}

const GraphTensor* GraphDescription::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &GraphTensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

}  // namespace assay::vendor
