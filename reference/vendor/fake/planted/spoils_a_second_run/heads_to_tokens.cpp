// Variants whose second run cannot be captured in a CUDA graph, each for a reason of its own. They compute nothing.
#include <cuda_runtime_api.h>

#include "harness/op/variant.h"
#include "reference/vendor/cublas/lt_matmul.h"
#include "reference/vendor/cudnn/handle.h"
#include "reference/vendor/scratch.h"

namespace {

using namespace assay::vendor;

assay::RegisterVariant planted(const char* name, const char* summary, std::function<void(assay::Call&)> run) {
  return assay::RegisterVariant(
      {.op = "heads_to_tokens", .name = name, .summary = summary, .vendor = "planted", .run = std::move(run)});
}

const auto kAllocates = planted("allocates", "takes scratch of its own in each run",
                                [](assay::Call&) { const auto scratch = allocate_scratch(1); });
const auto kWaits = planted("waits", "waits for the GPU", [](assay::Call&) {
  cudaStreamSynchronize(static_cast<cudaStream_t>(assay::current_stream()));
});
const auto kPlans = planted("plans", "asks the heuristic for an algorithm in each run",
                            [](assay::Call&) { const auto product = LtMatmul::plan({.m = 1, .n = 1, .k = 1}, 1); });
const auto kLeaves = planted("leaves_the_stream", "queues work on the default stream",
                             [](assay::Call& call) { cudaMemsetAsync(call.out<void>("out"), 0, 0, nullptr); });

}  // namespace
