// cuFFT's extended plans, as far as libassay_cuda.so has them: of one GPU, without callbacks.
#pragma once

#include "harness/cxx/include/cufft.h"

extern "C" cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long* n, long long* in, long long in_stride,
                                           long long in_distance, cudaDataType in_type, long long* out,
                                           long long out_stride, long long out_distance, cudaDataType out_type,
                                           long long batches, size_t* workspace, cudaDataType execution_type);
