// CUDA header name; what there is of it is in cuda_pipeline_primitives.h.
#pragma once
#include "harness/simt/include/cuda_pipeline_primitives.h"
