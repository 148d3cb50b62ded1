// cuDNN: the library, a handle, what becomes of its errors, and the descriptor of a matrix.
#pragma once

#include <cudnn.h>

#include <memory>
#include <string>

#include "harness/base/error.h"
#include "harness/tensor/dtype.h"
#include "reference/vendor/library.h"

namespace assay::vendor {

const Library& cudnn();

// One handle for the process, made by the first call, and on the current stream after each. An error where there is
// none.
Result<cudnnHandle_t> cudnn_handle();

// "cudnnSoftmaxForward: CUDNN_STATUS_EXECUTION_FAILED: …", to be returned or remembered.
Error cudnn_error(const std::string& call, cudnnStatus_t status);

// Remembers a failure as that of a refused launch.
void note_if_refused(const std::string& call, cudnnStatus_t status);

struct DestroyTensorDescriptor {
  void operator()(cudnnTensorDescriptor_t descriptor) const;
};
using TensorDescriptor = std::unique_ptr<cudnnTensorStruct, DestroyTensorDescriptor>;

// (rows, cols) without gaps, as `rows` images of `cols` channels: a softmax over an image is one over a row.
Result<TensorDescriptor> describe_rows(DType dtype, int64_t rows, int64_t cols);

// Why a matrix of so many rows and columns cannot be described: cuDNN counts in 32 bits.
std::optional<std::string> too_many_elements(int64_t rows, int64_t cols);

}  // namespace assay::vendor
