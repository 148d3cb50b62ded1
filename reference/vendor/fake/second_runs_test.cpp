// In a second run of a shape, every variant of a library only queues work on its caller's stream: it neither allocates
// nor waits nor plans, so that the run can be captured in a CUDA graph and timed.
//
// build/second_runs has the vendor's module, CUB's variants and fused attention too, on a CUDA runtime and libraries
// that follow its calls and compute little; nothing is judged.
#include <filesystem>
#include <iostream>
#include <map>
#include <string>

#include "harness/device/cuda/gpu_device.h"
#include "harness/judge/unsupported.h"
#include "harness/op/registry.h"
#include "harness/search/generate.h"
#include "reference/vendor/fake/test_fake_libraries.h"

namespace assay {
namespace {

constexpr int64_t kCases = 12;
constexpr int64_t kLeastRuns = 3;  // of those cases, with a plan and something to do

std::string first_words(const Findings& findings) { return findings.empty() ? "" : findings.front().detail; }

struct SecondRuns {
  int64_t runs = 0;
  std::string finding = {};  // the first
};

void run_twice(const Variant& variant, const Case& c, Device& device, SecondRuns& seen) {
  const Contract& op = *find_op(variant.op);
  if (why_unsupported(op, variant, c)) return;
  Tensors first = make_tensors(op, c), second = first;
  setenv("ASSAY_FAKE_RUN", "first", 1);
  if (const Findings findings = device.run(variant, c, first, 0); !findings.empty()) {
    if (findings.front().kind != Kind::unsupported && seen.finding.empty()) seen.finding = first_words(findings);
    return;
  }
  setenv("ASSAY_FAKE_RUN", "second", 1);
  const std::string words = first_words(device.run(variant, c, second, 0));
  if (seen.finding.empty()) seen.finding = words;
  ++seen.runs;
}

// "op/variant" of the GPU's, with what was found.
std::map<std::string, std::string> variants_that_do_more() {
  std::map<std::string, std::string> found;
  const auto device = open_gpu_device();
  if (!device) return {{"no device", device.error().line()}};
  for (const Variant* variant : variants()) {
    if (variant->device != kGpuDevice || variant->vendor.empty()) continue;
    const std::string id = variant->op + "/" + variant->name;
    for (const DType dtype : variant->dtypes) {
      SecondRuns seen;
      for (int64_t i = 0; i < kCases; ++i)
        run_twice(*variant, generate_case(*find_op(variant->op), *variant, dtype, 1, i, {}), **device, seen);
      if (seen.finding.empty() && seen.runs < kLeastRuns) seen.finding = "runs too few cases";
      if (!seen.finding.empty()) found.emplace(id, seen.finding);
    }
  }
  return found;
}

// In a process of its own, as its variants have the names of those that other tests here load.
TEST_F(FakeLibraries, SecondRunsOnlyQueueWork) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string modules = std::filesystem::path(folder()).parent_path() / "second_runs";
  setenv("ASSAY_GPU_MODULES", modules.c_str(), 1);
  const std::map<std::string, std::string> planted = {
      {"heads_to_tokens/allocates", "cudaMalloc in a second run"},
      {"heads_to_tokens/leaves_the_stream", "cudaMemsetAsync is given another stream than the caller's"},
      {"heads_to_tokens/plans", "cublasLtMatmulAlgoGetHeuristic in a second run"},
      {"heads_to_tokens/waits", "cudaStreamSynchronize in a second run"}};
  EXPECT_EXIT(
      {
        const auto found = variants_that_do_more();
        for (const auto& [id, words] : found) std::cerr << id << ": " << words << "\n";
        std::_Exit(found == planted ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace assay
