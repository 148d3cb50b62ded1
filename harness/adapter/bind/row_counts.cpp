// Names of batches and of the op's sizes, and the words of grids.
#include "harness/adapter/bind/row_counts.h"

#include <algorithm>

#include "harness/adapter/adapter.h"
#include "harness/adapter/bind/match.h"
#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

bool is_in_a_grid(const CudaSource& source, const KernelSource& kernel, size_t place) {
  return std::ranges::any_of(source.launches, [&](const LaunchSource& launch) {
    const bool is_of_it = kernel_of(launch.kernel) == kernel.name && place < launch.arguments.size();
    const std::string& word = is_of_it ? launch.arguments[place] : kernel.parameters[place].name;
    return !launch.configuration.empty() && mentions(tokens_of(launch.configuration[0]), word);
  });
}

// m of n * m, where the kernel is given both.
bool is_a_factor(const KernelSource& kernel, const std::string& name) {
  const auto multiplies = [&](const Terms& sum) {
    return std::ranges::any_of(sum, [&](const Term& term) {
      return has(term, name) && std::ranges::any_of(kernel.parameters, [&](const Parameter& other) {
               return is_whole_number(other) && other.name != name && has(term, other.name);
             });
    });
  };
  const BodyFacts& facts = kernel.facts;
  return std::ranges::any_of(facts.accesses, multiplies, &BodyAccess::index) ||
         std::ranges::any_of(facts.comparisons, multiplies, &BodyComparison::right) ||
         std::ranges::any_of(facts.variables, multiplies, &BodyVariable::begin) ||
         std::ranges::any_of(facts.others, multiplies);
}

}  // namespace

bool counts_rows(const CudaSource& source, const KernelSource& kernel, size_t place, const Contract& contract) {
  const std::string& name = kernel.parameters[place].name;
  return counts_batches(name) || is_in_a_grid(source, kernel, place) || is_a_factor(kernel, name) ||
         std::ranges::any_of(bindings_of(contract), [&](const Binding& each) {
           return each.kind == Binding::dim && likeness(name, each) != none;
         });
}

}  // namespace assay
