// cuBLASXt as far as libassay_cuda.so has it: products of real matrices.
#pragma once

#include "harness/cxx/include/cublas_v2.h"

using cublasXtHandle_t = struct cublasXtContext*;

extern "C" {
cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int* devices);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int dim);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* dim);
cublasStatus_t cublasXtSgemm(cublasXtHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, size_t m,
                             size_t n, size_t k, const float* alpha, const float* a, size_t lda, const float* b,
                             size_t ldb, const float* beta, float* c, size_t ldc);
cublasStatus_t cublasXtDgemm(cublasXtHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, size_t m,
                             size_t n, size_t k, const double* alpha, const double* a, size_t lda, const double* b,
                             size_t ldb, const double* beta, double* c, size_t ldc);
}
