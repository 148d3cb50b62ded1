// Matrix products of a vendor's library whose measured rates are roofs. They register themselves when the module that
// holds them is loaded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/device/cuda/gpu_runtime.h"

namespace assay {

// One of several programs for the same transfer or product. The fastest is the roof.
struct RoofCandidate {
  std::string means;          // "algorithm 2 of 8 of cublasLtMatmul's heuristic"
  std::function<void()> run;  // queues it on the runtime's stream
  bool graph = true;          // timed as a graph
};

struct GemmRoof {
  std::string name;  // "bf16 GEMM", "f32 GEMM": the dtype of the operands first
  double flops = 0;  // of one product: two for each multiplication
  // Allocates and fills the matrices (normal data) and plans the product, for one candidate at least. They free
  // everything when the last of them is destroyed, before the runtime is; a call that is refused is remembered by
  // note_refused_launch (stream.h).
  std::function<Result<std::vector<RoofCandidate>>(GpuRuntime&)> prepare = nullptr;
};

void register_gemm_roof(GemmRoof roof);
const std::vector<GemmRoof>& gemm_roofs();  // sorted by name

}  // namespace assay
