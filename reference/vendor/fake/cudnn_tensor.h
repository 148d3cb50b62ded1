// Tensors of cuDNN's graphs on the host, read and written by their dims, strides and types.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "reference/vendor/fake/cudnn_backend.h"

namespace fake {

using Index = std::vector<int64_t>;

// Mistakes that graphs may have, for tests that must see them found.
inline bool is_planted(const std::string& bug) {
  const char* planted = std::getenv("ASSAY_PLANTED_IN_GRAPHS");
  return planted && planted == bug;
}

struct Tensor {
  int64_t id;
  Index dims, strides;
  cudnnDataType_t type;
  bool inside;  // the graph, which allocates it
  int64_t alignment;
  void* data = nullptr;

  // The offset of the element at an index of a tensor as large or larger: a single element here is repeated.
  int64_t at(const Index& index) const {
    int64_t offset = 0;
    for (size_t i = 0; i < dims.size(); ++i) offset += (dims[i] == 1 ? 0 : index[i]) * strides[i];
    return offset;
  }
  float get(const Index& index) const {
    const int64_t i = at(index);
    if (type == CUDNN_DATA_BFLOAT16) return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[i]);
    if (type == CUDNN_DATA_HALF) return __half2float(static_cast<const __half*>(data)[i]);
    return static_cast<const float*>(data)[i];
  }
  void set(const Index& index, float value) const {
    const int64_t i = at(index);
    if (type == CUDNN_DATA_BFLOAT16)
      static_cast<__nv_bfloat16*>(data)[i] = __float2bfloat16_rn(value);
    else if (type == CUDNN_DATA_HALF)
      static_cast<__half*>(data)[i] = __float2half_rn(value);
    else
      static_cast<float*>(data)[i] = value;
  }
};

inline Tensor tensor_of(const Contents& operation, cudnnBackendAttributeName_t name) {
  const Contents& given = operation.descriptor(name);
  Tensor tensor{.id = given.value<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID, -1),
                .dims = given.values<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS),
                .strides = given.values<int64_t>(CUDNN_ATTR_TENSOR_STRIDES),
                .type = given.value(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_INT8),
                .inside = given.value(CUDNN_ATTR_TENSOR_IS_VIRTUAL, false),
                .alignment = given.value<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 1)};
  if (given.value(CUDNN_ATTR_TENSOR_IS_BY_VALUE, false)) tensor.alignment = 1;  // a number on the host
  if (is_planted("rows are dense")) {
    int64_t stride = 1;
    for (size_t axis = tensor.dims.size(); axis-- > 0; stride *= tensor.dims[axis]) tensor.strides[axis] = stride;
  }
  if (tensor.dims.empty() || tensor.dims.size() != tensor.strides.size())
    throw Refused{"a tensor has no dims, or not as many strides as dims"};
  if (tensor.inside)
    tensor.type = CUDNN_DATA_FLOAT;
  else if (tensor.type != CUDNN_DATA_FLOAT && tensor.type != CUDNN_DATA_BFLOAT16 && tensor.type != CUDNN_DATA_HALF)
    throw Refused{"the fake has tensors of f32, bf16 and f16"};
  return tensor;
}

// Calls f for every index below `dims`, in row-major order.
template <class F>
void over(const Index& dims, F f) {
  for (const int64_t dim : dims)
    if (dim <= 0) return;
  Index index(dims.size(), 0);
  for (;;) {
    f(std::as_const(index));
    size_t i = dims.size();
    while (i > 0 && ++index[i - 1] == dims[i - 1]) index[--i] = 0;
    if (i == 0) return;
  }
}

inline void repeats_into(const Tensor& small, const Tensor& large) {
  bool fits = small.dims.size() == large.dims.size();
  for (size_t i = 0; fits && i < small.dims.size(); ++i) fits = small.dims[i] == 1 || small.dims[i] == large.dims[i];
  if (!fits) throw Refused{"the dims of two tensors of an operation are neither equal nor 1"};
}

}  // namespace fake
