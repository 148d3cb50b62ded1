// Sizes by a body's sums, comparisons and shared arrays.
#include "harness/adapter/bind/candidates/body.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "harness/adapter/read/arithmetic.h"

namespace assay {
namespace {

constexpr int64_t kStepMax = 256;  // elements: no tile is longer
constexpr int64_t kWidthMax = 8;   // elements of 16 bits in the widest vector

bool is_a_bound(const BodyComparison& each) { return each.sign != "==" && each.sign != "!="; }

bool is_of_threads(const Terms& index) { return mentions(index, "blockIdx") && mentions(index, "threadIdx"); }

const Parameter* number_called(const KernelSource& kernel, const std::string& name) {
  const auto found = std::ranges::find(kernel.parameters, name, &Parameter::name);
  return found != kernel.parameters.end() && is_whole_number(*found) ? &*found : nullptr;
}

// A sum without numbers, divided by what all its terms are multiplied by: i of i * 4 + 3.
Terms core_of(const Terms& sum) {
  Terms core = without_numbers(sum);
  int64_t common = 0;
  for (const Term& term : core) common = std::gcd(common, term.times);
  for (Term& term : core) term.times /= common;
  return core.size() == 1 && core[0].factors.empty() && core[0].times == 1 ? core[0].of : core;
}

// Whether an index is `core`, or that and one more term: x[i], x[i + k].
bool is_by(const Terms& index, const Terms& core) {
  const Terms own = core_of(index);
  const auto is_in = [](const Term& term, const Terms& all) {
    return std::ranges::any_of(all, [&](const Term& each) { return text_of({each}) == text_of({term}); });
  };
  return own.size() <= core.size() + 1 &&
         std::ranges::all_of(core, [&](const Term& each) { return is_in(each, own); }) &&
         std::ranges::all_of(own, [&](const Term& each) { return is_in(each, core) || !only_factor({each}).empty(); });
}

}  // namespace

Body::Body(const CudaSource& source, const KernelSource& kernel, const BindingCandidate& candidate)
    : kernel_(kernel), names_(names_in_kernel(source, kernel, candidate.matches)) {
  for (const auto& [name, value] : candidate.template_values) names_.try_emplace(name, value);
  const std::vector<std::string> host = host_template_arguments(source, kernel);
  for (size_t i = 0; i < kernel.template_parameters.size(); ++i)
    if (const auto value = number(i < host.size() ? host[i] : kernel.template_parameters[i].by_default))
      names_.try_emplace(kernel.template_parameters[i].name, std::to_string(*value));
}

std::optional<int64_t> Body::number(const std::string& text) const {
  const auto known = resolved(tokens_of(text), names_);
  return known && !known->empty() ? number_value(*known) : std::nullopt;
}

std::optional<int64_t> Body::number(const Terms& sum) const {
  int64_t all = 0;
  for (const Term& term : sum) {
    auto product = term.of.empty() ? std::optional<int64_t>(term.times) : number(term.of);
    if (product && !term.of.empty()) product = *product * term.times;
    for (const std::string& factor : term.factors) {
      const auto value = product ? number(factor) : std::nullopt;
      product = value ? std::optional(*product * *value) : std::nullopt;
    }
    if (!product) return std::nullopt;
    all += *product;
  }
  return all;
}

bool Body::has_bounds() const {
  return std::ranges::any_of(facts().comparisons, [&](const BodyComparison& each) {
    return is_a_bound(each) && mentions(facts().begun(each.left), "blockIdx");
  });
}

// 4 of (blockIdx.x * blockDim.x + threadIdx.x) * 4
int64_t Body::each_of(const Terms& index) const {
  int64_t most = 1;
  for (const Term& term : facts().begun(index)) {
    if (!mentions(term.of, "blockIdx.x") || !mentions(term.of, "threadIdx.x")) continue;
    const auto each = number(Terms{Term{term.times, term.factors, {}}});
    most = std::max(most, each.value_or(1));
  }
  return most;
}

int64_t Body::tile() const {
  constexpr int64_t kPaddingMax = 8;  // of a row, for banks: [32][32 + 1]
  int64_t largest = 0;
  for (const SharedArray& array : facts().shared) {
    if (array.extents.size() != 2) continue;
    const int64_t rows = number(array.extents[0]).value_or(0), cols = number(array.extents[1]).value_or(0);
    const bool is_padded = cols > rows && cols - rows <= kPaddingMax;
    largest = std::max({largest, rows, is_padded ? 0 : cols});
  }
  return largest;
}

std::map<std::string, int64_t> Body::steps() const {
  std::map<std::string, int64_t> steps;
  const auto add = [&](const std::string& parameter, int64_t step) {
    if (!number_called(kernel_, parameter) || step <= 1 || step > kStepMax) return;
    int64_t& known = steps.try_emplace(parameter, 1).first->second;
    known = std::lcm(known, step);
  };
  for (const BodyDivision& each : facts().divisions)
    if (!each.shifts) add(each.of, number(each.by).value_or(each.by_constant ? kWidthMax : 1));
  for (const BodyComparison& each : facts().comparisons)
    for (const BodyVariable& variable : facts().variables)
      if (each.heads_loop && each.sign == "<" && only_factor(each.left) == variable.name)
        for (const Terms& step : variable.steps) add(only_factor(each.right), number(step).value_or(1));
  return steps;
}

int64_t Body::vector_width() const {
  int64_t each = 1;
  for (const BodyVariable& variable : facts().variables) each = std::max(each, each_of(variable.begin));
  for (const BodyComparison& comparison : facts().comparisons) each = std::max(each, each_of(comparison.left));
  if (each > 1) return each;
  const bool halves = std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(), [](const Parameter& p) {
    return p.is_pointer && (p.type.find("half") != std::string::npos || p.type.find("bf") != std::string::npos);
  });
  for (const char* type : {"float4", "int4", "uint4"})
    if (facts().types.contains(type)) return halves ? 8 : 4;
  for (const char* type : {"float2", "half2", "__half2", "__nv_bfloat162"})
    if (facts().types.contains(type)) return 2;
  return 1;
}

bool Body::cooperates() const {
  return std::ranges::any_of(facts().calls, [](const std::string& call) {
    return call == "__syncthreads" || call.starts_with("__shfl") || call.find("reduce") != std::string::npos;
  });
}

std::map<std::string, std::string> counts_of_elements(const KernelSource& kernel) {
  std::map<std::string, std::string> counts;
  for (const BodyComparison& each : kernel.facts.comparisons) {
    const std::string bound = only_factor(without_numbers(each.right));
    if (!is_a_bound(each) || !number_called(kernel, bound) || !is_of_threads(kernel.facts.begun(each.left))) continue;
    const Terms core = core_of(each.left);
    for (const BodyAccess& access : kernel.facts.accesses)
      if (!access.moved && is_by(access.index, core)) counts[bound] = access.pointer;
  }
  return counts;
}

std::map<std::string, std::string> second_names(const KernelSource& kernel) {
  std::map<std::string, std::set<size_t>> bounds;  // of each index, as parameters' numbers
  for (const BodyComparison& each : kernel.facts.comparisons) {
    const Parameter* size = number_called(kernel, only_factor(each.right));
    if (size && (each.sign == "<" || each.sign == ">=") && mentions(each.left, "Idx"))
      bounds[text_of(each.left)].insert(static_cast<size_t>(size - kernel.parameters.data()));
  }
  std::map<std::string, std::string> names;
  for (const auto& [index, sizes] : bounds)
    for (const size_t size : sizes)
      if (size != *sizes.begin()) names.emplace(kernel.parameters[size].name, kernel.parameters[*sizes.begin()].name);
  return names;
}

}  // namespace assay
