// CUDA header name; all but the version is in the prelude.
#pragma once
#include "harness/simt/include/prelude.h"

#ifndef CUDA_VERSION
#define CUDA_VERSION CUDART_VERSION
#endif
