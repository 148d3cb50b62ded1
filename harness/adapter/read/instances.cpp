// Over all instances.
#include "harness/adapter/read/instances.h"

#include <algorithm>

namespace assay {
namespace {

uint64_t threads_of(const KernelInstance& instance) {
  const auto& most = instance.threads_max;
  return most[0] * std::max<uint64_t>(1, most[1]) * std::max<uint64_t>(1, most[2]);
}

// An argument that no instance has is any: another spelling, or a parameter of the host's.
bool has(const KernelSource& kernel, const KernelInstance& instance, const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < std::min(arguments.size(), instance.arguments.size()); ++i) {
    const std::vector<std::string> all = compiled_arguments(kernel, i);
    const bool is_known = std::find(all.begin(), all.end(), arguments[i]) != all.end();
    if (is_known && arguments[i] != instance.arguments[i]) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> template_arguments_of(const std::string& entry) {
  const std::vector<Token> tokens = tokens_of(entry);
  std::vector<std::string> arguments;
  for (size_t i = 0; i < tokens.size() && arguments.empty(); ++i)
    if (token_is(tokens, i, "<"))
      for (const auto& argument : split_at_commas(tokens, i + 1, std::min(closing(tokens, i), tokens.size())))
        arguments.push_back(spelled(argument));
  return arguments;
}

std::vector<std::string> compiled_arguments(const KernelSource& kernel, size_t index) {
  std::vector<std::string> all;
  for (const KernelInstance& instance : kernel.instances)
    if (std::find(all.begin(), all.end(), instance.arguments.at(index)) == all.end())
      all.push_back(instance.arguments[index]);
  return all;
}

int64_t declared_threads(const KernelSource& kernel, const std::vector<std::string>& arguments) {
  uint64_t least = 0;
  for (const KernelInstance& instance : kernel.instances) {
    const uint64_t threads = threads_of(instance);
    if (has(kernel, instance, arguments) && threads > 0) least = least == 0 ? threads : std::min(least, threads);
  }
  return static_cast<int64_t>(least);
}

int64_t static_shared_bytes(const KernelSource& kernel, const std::vector<std::string>& arguments) {
  uint64_t most = 0;
  for (const KernelInstance& instance : kernel.instances)
    if (has(kernel, instance, arguments)) most = std::max(most, instance.shared_bytes);
  return static_cast<int64_t>(most);
}

std::vector<int> sizes_within_bounds(const CudaSource& source, const Adapter& adapter) {
  int64_t least = 0;
  for (const AdapterLaunch& launch : adapter.launches)
    for (const KernelSource& kernel : source.kernels) {
      if (launch.is_launcher || kernel.name != kernel_of(launch.entry) || launch.block != AdapterLaunch{}.block)
        continue;
      const int64_t threads = declared_threads(kernel, template_arguments_of(launch.entry));
      if (threads > 0) least = least == 0 ? threads : std::min(least, threads);
    }
  std::vector<int> sizes;
  for (const int size : swept_blocks())
    if (size <= least) sizes.push_back(size);
  if (sizes.empty() && least > 0) sizes.push_back(static_cast<int>(least));
  return sizes;
}

}  // namespace assay
