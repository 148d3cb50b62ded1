// Matrix products of a vendor's library whose measured rates are roofs. They register themselves when the module that
// holds them is loaded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/device/cuda/gpu_runtime.h"

namespace assay {

struct GemmRoof {
  std::string name;  // "bf16 GEMM", "f32 GEMM": the dtype of the operands first
  double flops = 0;  // of one product: two for each multiplication
  // Makes the operands on the GPU; the function that comes back queues one product on the runtime's stream and owns
  // them.
  std::function<Result<std::function<void()>>(GpuRuntime&)> prepare;
};

void register_gemm_roof(GemmRoof roof);
const std::vector<GemmRoof>& gemm_roofs();  // sorted by name

}  // namespace assay
