// cuBLAS as far as libassay_cuda.so has it, as programs declare it: real numbers, levels 1 and 2 in part, products of
// matrices.
#pragma once

// Programs ask by these whether cuBLAS is known.
#define CUBLAS_V2_H_
#define CUBLAS_API_H_

// First: the executor's headers have meanings of their own for a few names.
#include "harness/cxx/include/program_prelude.h"

#include "harness/cxx/include/library_types.h"
#include "harness/program/libraries/abi_libraries.h"
#include "harness/simt/include/cuda_bf16.h"
#include "harness/simt/include/cuda_fp16.h"

enum cublasFillMode_t : int { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL };
enum cublasDiagType_t : int { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasAtomicsMode_t : int { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED };
enum cublasMath_t : int {
  CUBLAS_DEFAULT_MATH,
  CUBLAS_TENSOR_OP_MATH,
  CUBLAS_PEDANTIC_MATH,
  CUBLAS_TF32_TENSOR_OP_MATH,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
};
enum cublasGemmAlgo_t : int { CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };

// Programs write the names without the version.
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSasum cublasSasum_v2
#define cublasDasum cublasDasum_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasScopy cublasScopy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasSscal cublasSscal_v2
#define cublasDscal cublasDscal_v2
#define cublasSswap cublasSswap_v2
#define cublasDswap cublasDswap_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasIdamin cublasIdamin_v2
#define cublasSgemv cublasSgemv_v2
#define cublasDgemv cublasDgemv_v2
#define cublasSger cublasSger_v2
#define cublasDger cublasDger_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes);
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);

cublasStatus_t cublasSetVector(int n, int bytes, const void* from, int from_step, void* to, int to_step);
cublasStatus_t cublasGetVector(int n, int bytes, const void* from, int from_step, void* to, int to_step);
cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void* from, int from_ld, void* to, int to_ld);
cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void* from, int from_ld, void* to, int to_ld);
cublasStatus_t cublasSetVectorAsync(int n, int bytes, const void* from, int from_step, void* to, int to_step,
                                    cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int bytes, const void* from, int from_step, void* to, int to_step,
                                    cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int bytes, const void* from, int from_ld, void* to, int to_ld,
                                    cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int bytes, const void* from, int from_ld, void* to, int to_ld,
                                    cudaStream_t stream);

#define ASSAY_OF_TYPE(T, X, x)                                                                                        \
  cublasStatus_t cublas##X##asum_v2(cublasHandle_t handle, int n, const T* a, int a_step, T* result);                 \
  cublasStatus_t cublas##X##nrm2_v2(cublasHandle_t handle, int n, const T* a, int a_step, T* result);                 \
  cublasStatus_t cublasI##x##amax_v2(cublasHandle_t handle, int n, const T* a, int a_step, int* result);              \
  cublasStatus_t cublasI##x##amin_v2(cublasHandle_t handle, int n, const T* a, int a_step, int* result);              \
  cublasStatus_t cublas##X##axpy_v2(cublasHandle_t handle, int n, const T* alpha, const T* a, int a_step, T* b,       \
                                    int b_step);                                                                      \
  cublasStatus_t cublas##X##dot_v2(cublasHandle_t handle, int n, const T* a, int a_step, const T* b, int b_step,      \
                                   T* result);                                                                        \
  cublasStatus_t cublas##X##copy_v2(cublasHandle_t handle, int n, const T* a, int a_step, T* b, int b_step);          \
  cublasStatus_t cublas##X##swap_v2(cublasHandle_t handle, int n, T* a, int a_step, T* b, int b_step);                \
  cublasStatus_t cublas##X##scal_v2(cublasHandle_t handle, int n, const T* alpha, T* a, int a_step);                  \
  cublasStatus_t cublas##X##gemv_v2(cublasHandle_t handle, cublasOperation_t op, int m, int n, const T* alpha,        \
                                    const T* a, int lda, const T* x_, int x_step, const T* beta, T* y, int y_step);   \
  cublasStatus_t cublas##X##ger_v2(cublasHandle_t handle, int m, int n, const T* alpha, const T* x_, int x_step,      \
                                   const T* y, int y_step, T* a, int lda);                                            \
  cublasStatus_t cublas##X##geam(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, \
                                 const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c,       \
                                 int ldc);                                                                            \
  cublasStatus_t cublas##X##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T* a, int lda,     \
                                 const T* x_, int x_step, T* c, int ldc);                                             \
  cublasStatus_t cublas##X##getrfBatched(cublasHandle_t handle, int n, T* const a[], int lda, int* pivots, int* info, \
                                         int count);                                                                  \
  cublasStatus_t cublas##X##gemm_v2(ASSAY_PRODUCT(T), const T* a, int lda, const T* b, int ldb, const T* beta, T* c,  \
                                    int ldc);                                                                         \
  ASSAY_BATCHED(T, X)
#define ASSAY_PRODUCT(T) \
  cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const T *alpha
#define ASSAY_BATCHED(T, X)                                                                                         \
  cublasStatus_t cublas##X##gemmBatched(ASSAY_PRODUCT(T), const T* const a[], int lda, const T* const b[], int ldb, \
                                        const T* beta, T* const c[], int ldc, int count);                           \
  cublasStatus_t cublas##X##gemmStridedBatched(ASSAY_PRODUCT(T), const T* a, int lda, long long a_step, const T* b, \
                                               int ldb, long long b_step, const T* beta, T* c, int ldc,             \
                                               long long c_step, int count);
ASSAY_OF_TYPE(float, S, s)
ASSAY_OF_TYPE(double, D, d)
ASSAY_BATCHED(__half, H)
cublasStatus_t cublasHgemm(ASSAY_PRODUCT(__half), const __half* a, int lda, const __half* b, int ldb,
                           const __half* beta, __half* c, int ldc);
cublasStatus_t cublasSgemmEx(ASSAY_PRODUCT(float), const void* a, cudaDataType a_type, int lda, const void* b,
                             cudaDataType b_type, int ldb, const float* beta, void* c, cudaDataType c_type, int ldc);
cublasStatus_t cublasGemmEx(ASSAY_PRODUCT(void), const void* a, cudaDataType a_type, int lda, const void* b,
                            cudaDataType b_type, int ldb, const void* beta, void* c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmBatchedEx(ASSAY_PRODUCT(void), const void* const a[], cudaDataType a_type, int lda,
                                   const void* const b[], cudaDataType b_type, int ldb, const void* beta,
                                   void* const c[], cudaDataType c_type, int ldc, int count,
                                   cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(ASSAY_PRODUCT(void), const void* a, cudaDataType a_type, int lda,
                                          long long a_step, const void* b, cudaDataType b_type, int ldb,
                                          long long b_step, const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long c_step, int count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm);
#undef ASSAY_OF_TYPE
#undef ASSAY_BATCHED
#undef ASSAY_PRODUCT
}
