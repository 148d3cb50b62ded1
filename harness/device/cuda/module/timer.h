// The timer of a real GPU.
#pragma once

#include <memory>

#include "harness/device/cuda/gpu_timer.h"

namespace assay {

std::unique_ptr<GpuTimer> make_cuda_timer(GpuRuntime& runtime);

}  // namespace assay
