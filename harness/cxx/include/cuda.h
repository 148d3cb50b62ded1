// CUDA header name: its version alone. The driver's API is not declared here.
#pragma once
#include "harness/cxx/include/program_prelude.h"

#ifndef CUDA_VERSION
#define CUDA_VERSION CUDART_VERSION
#endif
