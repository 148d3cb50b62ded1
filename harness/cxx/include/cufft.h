// cuFFT as far as libassay_cuda.so has it, as programs declare it: transforms of values that lie together.
#pragma once

#define _CUFFT_H_  // programs ask by it whether cuFFT is known

#include "harness/cxx/include/library_types.h"
#include "harness/cxx/include/program_prelude.h"

enum cufftResult_t : int {
  CUFFT_SUCCESS = 0,
  CUFFT_INVALID_PLAN,
  CUFFT_ALLOC_FAILED,
  CUFFT_INVALID_TYPE,
  CUFFT_INVALID_VALUE,
  CUFFT_INTERNAL_ERROR,
  CUFFT_EXEC_FAILED,
  CUFFT_SETUP_FAILED,
  CUFFT_INVALID_SIZE,
  CUFFT_UNALIGNED_DATA,
  CUFFT_INVALID_DEVICE = 11,
  CUFFT_NO_WORKSPACE = 13,
  CUFFT_NOT_IMPLEMENTED,
  CUFFT_NOT_SUPPORTED = 16,
  CUFFT_MISSING_DEPENDENCY,
  CUFFT_NVRTC_FAILURE,
  CUFFT_NVJITLINK_FAILURE,
  CUFFT_NVSHMEM_FAILURE
};
using cufftResult = cufftResult_t;
enum cufftType_t : int {
  CUFFT_C2C = 0x29,
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_Z2Z = 0x69,
  CUFFT_D2Z = 0x6a,
  CUFFT_Z2D = 0x6c
};
using cufftType = cufftType_t;
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1

using cufftHandle = int;
using cufftReal = float;
using cufftDoubleReal = double;
using cufftComplex = float2;
using cufftDoubleComplex = double2;

extern "C" {
cufftResult cufftCreate(cufftHandle* plan);
cufftResult cufftDestroy(cufftHandle plan);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftPlan1d(cufftHandle* plan, int x, cufftType type, int batches);
cufftResult cufftPlan2d(cufftHandle* plan, int x, int y, cufftType type);
cufftResult cufftPlan3d(cufftHandle* plan, int x, int y, int z, cufftType type);
cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* in, int in_stride, int in_distance, int* out,
                          int out_stride, int out_distance, cufftType type, int batches);
cufftResult cufftMakePlan1d(cufftHandle plan, int x, cufftType type, int batches, size_t* workspace);
cufftResult cufftMakePlan2d(cufftHandle plan, int x, int y, cufftType type, size_t* workspace);
cufftResult cufftMakePlan3d(cufftHandle plan, int x, int y, int z, cufftType type, size_t* workspace);
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* from, cufftComplex* to, int direction);
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* from, cufftComplex* to);
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* from, cufftReal* to);
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* from, cufftDoubleComplex* to, int direction);
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* from, cufftDoubleComplex* to);
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* from, cufftDoubleReal* to);
}
