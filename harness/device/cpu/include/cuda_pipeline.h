// CUDA header name; what there is of it is in cuda_pipeline_primitives.h.
#pragma once
#include "harness/device/cpu/include/cuda_pipeline_primitives.h"
