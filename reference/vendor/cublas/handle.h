// cuBLAS and cuBLASLt: the libraries, a handle of each, and what becomes of their errors.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/tensor/dtype.h"
#include "reference/vendor/library.h"

namespace assay::vendor {

const Library& cublas();
const Library& cublas_lt();

// One handle for the process, made by the first call; the current GPU is its GPU. An error where there is none.
Result<cublasHandle_t> cublas_handle();
Result<cublasLtHandle_t> cublas_lt_handle();

// The first of them, ready for calls: on the current stream, with a workspace of its own. From cuBLAS' own pool, a
// graph that is captured would hold allocations, which are then timed. Nothing where it refuses; that is remembered.
std::optional<cublasHandle_t> cublas_on_stream();

cudaDataType_t type_of(DType dtype);  // of a matrix, which no op has in integers

// "cublasSgeam: the GPU program failed to execute", to be returned or remembered.
Error cublas_error(const std::string& call, cublasStatus_t status);

// Remembers a failure as that of a refused launch.
void note_if_refused(const std::string& call, cublasStatus_t status);

}  // namespace assay::vendor
