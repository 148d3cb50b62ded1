// CUDA header name: the driver's API as far as libassay_cuda.so has it.
#pragma once
#include "harness/cxx/include/program_prelude.h"

#ifndef CUDA_VERSION
#define CUDA_VERSION CUDART_VERSION
#endif
#define __cuda_cuda_h__  // programs ask by it whether the driver's API is known

#include "harness/cxx/include/driver_calls.h"
