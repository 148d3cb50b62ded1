// Asking the registry and the suite about them.
#include "harness/cli/nightly_kernels.h"

#include <algorithm>
#include <filesystem>

#include "harness/device/cuda/gpu_device.h"
#include "harness/op/registry.h"
#include "harness/search/regressions.h"
#include "harness/search/suite.h"

namespace assay {

std::vector<std::string> ids_on(const LoadedKernels& own, const std::string& device) {
  std::vector<std::string> ids = own.ids;
  std::erase_if(ids, [&](const std::string& id) {
    const size_t slash = id.find('/');
    return !find_variant(id.substr(0, slash), id.substr(slash + 1), device);
  });
  return ids;
}

Result<std::vector<std::string>> ids_measured(const LoadedKernels& own, const std::string& bench_suite) {
  if (own.ids.empty()) return {};
  const auto file = ASSAY_TRY(find_suite(bench_suite));
  const auto suite = ASSAY_TRY(read_suite(file));
  std::vector<std::string> ids = ids_on(own, gpu_is_here() ? kGpuDevice : kCheckedDevice);
  std::erase_if(ids, [&](const std::string& id) {
    return std::ranges::none_of(suite.bench, [&](const BenchLine& line) { return id.starts_with(line.c.op + "/"); });
  });
  return ids;
}

std::string saved_in(const LoadedKernels& own, const std::string& id) {
  const auto found = own.files.find(id);
  if (found == own.files.end()) return "cases/regressions";
  std::error_code none;
  const std::string folder = std::filesystem::proximate(regressions_of(found->second), none).string();
  return folder.starts_with('.') || folder.starts_with('/') ? "" : folder;
}

}  // namespace assay
