// The types of NVIDIA's libraries that files around kernels name, for reading where no toolkit is: see assay_read.cpp.
#pragma once

using cublasHandle_t = struct AssayReadCublas*;
using cublasLtHandle_t = struct AssayReadCublasLt*;
using cudnnHandle_t = struct AssayReadCudnn*;
using cusparseHandle_t = struct AssayReadCusparse*;
using cusolverDnHandle_t = struct AssayReadCusolver*;
using curandGenerator_t = struct AssayReadCurand*;
using ncclComm_t = struct AssayReadNccl*;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS };
enum cudnnStatus_t { CUDNN_STATUS_SUCCESS };
enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS };
enum cusolverStatus_t { CUSOLVER_STATUS_SUCCESS };
enum curandStatus_t { CURAND_STATUS_SUCCESS };
enum curandRngType_t { CURAND_RNG_PSEUDO_DEFAULT };
enum ncclResult_t { ncclSuccess };
enum ncclDataType_t { ncclFloat, ncclHalf };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasComputeType_t { CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_16F };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
enum cudaDataType_t { CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF, CUDA_R_8I };
using cudaDataType = cudaDataType_t;
