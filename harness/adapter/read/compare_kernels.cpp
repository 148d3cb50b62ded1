// Each kernel beside the others of its name, and beside its launches.
#include "harness/adapter/read/compare_kernels.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adapter/adapter.h"
#include "harness/adapter/read/records.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

void know_specialisations(std::vector<KernelSource>& kernels) {
  for (KernelSource& general : kernels)
    for (const KernelSource& each : kernels)
      if (each.name == general.name && general.specialised_for.empty() && !each.specialised_for.empty())
        general.specialisations.push_back(each.specialised_for);
}

// Launches name the fields of structures that their function and the kernel take by value.
void know_fields(CudaSource& source) {
  for (LaunchSource& launch : source.launches) {
    const auto kernel = std::ranges::find(source.kernels, kernel_of(launch.kernel), &KernelSource::name);
    if (kernel != source.kernels.end()) launch.arguments = fields_of(launch.arguments, kernel->parameters);
    const FunctionSource* function = function_of(source, launch);
    if (!function) continue;
    for (Texts* texts : {&launch.arguments, &launch.configuration, &launch.conditions})
      for (std::string& text : *texts) text = with_fields(text, function->parameters);
  }
}

// "1.0f": a whole number is a size of some test, but what multiplies or is added is part of the call.
bool is_real_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  const std::string_view suffix = end;
  return text.find('.') != text.npos && end != text.c_str() && (suffix.empty() || suffix == "f" || suffix == "F");
}

bool counts(const Parameter& parameter) {
  const auto has = [&](const char* word) { return parameter.type.find(word) != std::string::npos; };
  return !parameter.is_pointer && (has("int") || has("long") || has("size_t"));
}

// Whether a launch passes whole numbers that are other ones in another call: its constants are no sizes of a test.
bool passes_sizes(const LaunchSource& launch, const KernelSource& kernel) {
  if (launch.values.size() != kernel.parameters.size()) return false;
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    if (counts(kernel.parameters[i]) && launch.values[i].empty()) return true;
  return false;
}

void know_overloads(std::vector<KernelSource>& kernels) {
  for (KernelSource& one : kernels)
    one.is_overloaded = one.template_parameters.empty() && one.specialised_for.empty() &&
                        std::ranges::count(kernels, one.qualified_name, &KernelSource::qualified_name) > 1;
}

}  // namespace

void compare_kernels(CudaSource& source) {
  know_specialisations(source.kernels);
  know_overloads(source.kernels);
  know_fields(source);
}

void take_literals(CudaSource& source) {
  for (const LaunchSource& launch : source.launches)
    for (KernelSource& kernel : source.kernels) {
      if (kernel_of(launch.kernel) != kernel.name || launch.arguments.size() != kernel.parameters.size()) continue;
      const bool has_sizes = passes_sizes(launch, kernel);
      for (size_t i = 0; i < kernel.parameters.size(); ++i) {
        const Parameter& parameter = kernel.parameters[i];
        const bool is_constant = has_sizes && !launch.values[i].empty() && counts(parameter);
        if (parameter.is_pointer || (!is_real_number(launch.arguments[i]) && !is_constant)) continue;
        const std::string& number = is_constant ? launch.values[i] : launch.arguments[i];
        std::vector<std::string>& known = kernel.literals[parameter.name];
        if (std::ranges::find(known, number) == known.end()) known.push_back(number);
      }
    }
}

}  // namespace assay
