// Matrix products whose rate is the roof for arithmetic: a vendor's, timed on this GPU rather than taken from a
// datasheet.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/device/cuda/gpu_runtime.h"

namespace assay {

struct GemmRoof {
  std::string name;  // "bf16 cublasLtMatmul 8192x8192x8192"
  double flops = 0;  // multiplications and additions of one product

  // Allocates and fills the matrices (normal data) and plans the product. What it returns queues one product on the
  // runtime's stream each time it is called and frees everything when it is destroyed, before the runtime is; a call
  // that is refused is remembered by note_refused_launch (harness/device/cuda/stream.h).
  std::function<Result<std::function<void()>>(GpuRuntime&)> prepare = nullptr;
};

void register_gemm_roof(GemmRoof roof);
const std::vector<GemmRoof>& gemm_roofs();  // sorted by name

}  // namespace assay
