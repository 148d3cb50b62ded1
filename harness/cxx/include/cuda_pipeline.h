// CUDA header name: the prelude, and what the executor has behind it.
#pragma once
#include "harness/cxx/include/program_prelude.h"

#include "harness/simt/include/cuda_pipeline.h"
