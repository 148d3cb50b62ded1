// cuDNN: the library, a handle, and what becomes of its errors.
#pragma once

#include <cudnn.h>

#include <string>

#include "harness/base/error.h"
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

}  // namespace assay::vendor
