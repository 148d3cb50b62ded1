// The tensors of norms. cuDNN takes four extents: `rows` images of `dim` channels, over which it takes the mean.
#pragma once

#include <string>

#include "reference/vendor/cudnn_graph/graph.h"

namespace assay::vendor {

inline GraphTensor norm_rows(std::string name, DType dtype, int64_t rows, int64_t dim) {
  return {std::move(name), dtype, {rows, dim, 1, 1}, {dim, 1, dim, dim}};
}
inline GraphTensor norm_weights(std::string name, DType dtype, int64_t dim) {
  return {std::move(name), dtype, {1, dim, 1, 1}, {dim, 1, dim, dim}};
}
inline GraphTensor norm_of_rows(std::string name, int64_t rows) {  // a mean or 1/deviation of every row
  return {std::move(name), DType::f32, {rows, 1, 1, 1}, {1, 1, 1, 1}};
}

}  // namespace assay::vendor
