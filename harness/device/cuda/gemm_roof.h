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
  // Allocates and fills the matrices (normal data) and plans the product. What it returns queues one product on the
  // runtime's stream each time it is called, and frees everything when it is destroyed, before the runtime is; a call
  // that is refused is remembered by note_refused_launch (stream.h).
  std::function<Result<std::function<void()>>(GpuRuntime&)> prepare = nullptr;
};

void register_gemm_roof(GemmRoof roof);
const std::vector<GemmRoof>& gemm_roofs();  // sorted by name

}  // namespace assay
