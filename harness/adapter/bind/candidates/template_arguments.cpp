// Template arguments of the instances that the file makes.
#include <fmt/format.h>

#include <algorithm>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/adapter/read/instances.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;
constexpr size_t kTemplatesMax = 6;

// Whether some instance has all values of a candidate, or there are no instances: two parameters go together as the
// file has them.
bool is_of_an_instance(const KernelSource& kernel, const BindingCandidate& candidate) {
  return kernel.instances.empty() ||
         std::any_of(kernel.instances.begin(), kernel.instances.end(), [&](const KernelInstance& instance) {
           for (size_t i = 0; i < kernel.template_parameters.size(); ++i) {
             const auto value = candidate.template_values.find(kernel.template_parameters[i].name);
             if (value != candidate.template_values.end() && value->second != instance.arguments[i]) return false;
           }
           return true;
         });
}

// Whether a parameter is of that type or points to it, which says what it stands for.
bool is_of_parameters(const KernelSource& kernel, const std::string& type) {
  return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                     [&](const Parameter& parameter) { return parameter.type == type; });
}

// The arguments that all launches of a kernel have in common; "" in the place of others.
Texts common_arguments(const CudaSource& source, const KernelSource& kernel) {
  Texts common;
  for (const LaunchSource& launch : source.launches) {
    if (kernel_of(launch.kernel) != kernel.name) continue;
    if (common.empty()) common = launch.template_arguments;
    common.resize(std::min(common.size(), launch.template_arguments.size()));
    for (size_t i = 0; i < common.size(); ++i)
      if (common[i] != launch.template_arguments[i]) common[i].clear();
  }
  return common;
}

}  // namespace

std::vector<std::string> host_template_arguments(const CudaSource& source, const KernelSource& kernel) {
  return own_launch(source, kernel) ? common_arguments(source, kernel) : Texts();
}

std::vector<BindingCandidate> template_candidates(const CudaSource& source, const KernelSource& kernel) {
  const Texts host = host_template_arguments(source, kernel);
  const Names constants = constants_of(source);
  const auto is_value = [&](const std::string& text) {
    return constants.contains(text) || text == "true" || text == "false" ||
           (!text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }));
  };
  std::vector<BindingCandidate> candidates(1);
  for (size_t i = 0; i < kernel.template_parameters.size(); ++i) {
    const TemplateParameter& parameter = kernel.template_parameters[i];
    if (parameter.is_type() ? is_of_parameters(kernel, parameter.name) || compiled_arguments(kernel, i).size() < 2
                            : !parameter.by_default.empty())
      continue;
    if (i < host.size() && is_value(host[i])) continue;
    std::vector<BindingCandidate> more;
    const Texts values = compiled_arguments(kernel, i);
    if (values.empty()) continue;
    for (size_t v = 0; v < values.size(); ++v)
      for (const BindingCandidate& candidate : candidates) {
        BindingCandidate& one = more.emplace_back(candidate);
        one.template_values[parameter.name] = values[v];
        if (values.size() != 1) one.guesses.push_back(fmt::format("{} is {}", parameter.name, values[v]));
        one.cost += static_cast<int>(v);
      }
    std::stable_sort(more.begin(), more.end(),
                     [](const BindingCandidate& a, const BindingCandidate& b) { return a.cost < b.cost; });
    std::erase_if(more, [&](const BindingCandidate& candidate) { return !is_of_an_instance(kernel, candidate); });
    if (more.size() > kTemplatesMax) more.resize(kTemplatesMax);
    candidates = std::move(more);
  }
  return candidates;
}

}  // namespace assay
