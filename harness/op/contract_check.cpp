// Two passes: whether the contract agrees with itself, then what its functions do on the smallest cases.
#include "harness/op/contract_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <set>

#include "harness/base/check.h"
#include "harness/base/number.h"
#include "harness/base/running.h"
#include "harness/op/step_check.h"

namespace assay {
namespace {

using Mistakes = std::vector<std::string>;

// Keys of a case line, and a name that the wrappers around users' kernels have.
constexpr std::array kTaken{"fill", "seed", "nonzero", "block", "grid", "offset", "steps", "schedule", "workspace"};
constexpr int64_t kSmall = 3;  // elements of a dim in the larger one of the two sizes that are tried

std::vector<std::string> factors_of(const std::string& product) {
  std::vector<std::string> factors = {""};
  for (const char c : product) {
    if (c == '*')
      factors.emplace_back();
    else
      factors.back() += c;
  }
  return factors;
}

// The factors of an extent that are no number and no dim; an attribute's choices count, since one of them stands there.
void unknown_factors(const Contract& contract, const std::string& product, std::set<std::string>& unknown) {
  for (const std::string& factor : factors_of(product)) {
    const auto is_it = [&](const auto& spec) { return spec.name == factor; };
    if (number_in<int64_t>(factor) >= 0 || std::ranges::any_of(contract.dims, is_it)) continue;
    const auto attr = std::ranges::find_if(contract.attrs, is_it);
    if (attr == contract.attrs.end())
      unknown.insert(factor);
    else
      for (const std::string& choice : attr->choices)
        if (choice != factor) unknown_factors(contract, choice, unknown);
  }
}

void shape_mistakes(const Contract& contract, const TensorSpec& tensor, const ShapeText& shape, Mistakes& mistakes) {
  std::set<std::string> unknown;
  for (const std::string& extent : shape) unknown_factors(contract, extent, unknown);
  for (const std::string& factor : unknown)
    mistakes.push_back(fmt::format("the shape of '{}' names '{}', which is no dim or attribute", tensor.name, factor));
}

void name_mistakes(const Contract& contract, Mistakes& mistakes) {
  std::set<std::string> seen;
  const auto look_at = [&](const char* what, const std::string& name) {
    if (!is_identifier(name)) mistakes.push_back(fmt::format("{} '{}' is not named by an identifier", what, name));
    if (std::ranges::find(kTaken, name) != kTaken.end())
      mistakes.push_back(fmt::format("{} '{}' has a name that is taken", what, name));
    if (!seen.insert(name).second)
      mistakes.push_back(fmt::format("{} '{}' has a name that is there twice", what, name));
  };
  for (const DimSpec& dim : contract.dims) look_at("dim", dim.name);
  const auto dims = seen;
  for (const AttrSpec& attr : contract.attrs) look_at("attribute", attr.name);
  seen = dims;  // an attribute may be named as the tensor that it describes
  for (const TensorSpec& tensor : contract.tensors) look_at("tensor", tensor.name);
}

void domain_mistakes(const Contract& contract, Mistakes& mistakes) {
  for (const DimSpec& dim : contract.dims)
    if (dim.min < 0 || dim.min > dim.max)
      mistakes.push_back(fmt::format("dim '{}' goes from {} to {}", dim.name, dim.min, dim.max));
  for (const AttrSpec& attr : contract.attrs)
    if (attr.choices.empty()) mistakes.push_back(fmt::format("attribute '{}' has no choices", attr.name));
  for (const std::string& name : contract.repeats_along)
    if (std::ranges::find(contract.dims, name, &DimSpec::name) == contract.dims.end())
      mistakes.push_back(fmt::format("repeats_along names '{}', which is no dim", name));
  if (contract.dtypes.empty()) mistakes.push_back("it has no dtypes");
  if (contract.tensors.empty()) mistakes.push_back("it has no tensors");
  const auto written = [](const TensorSpec& tensor) { return is_written(tensor.role); };
  if (!contract.tensors.empty() && std::ranges::none_of(contract.tensors, written))
    mistakes.push_back("it has no written tensor: one needs .role = Role::output, accumulate or inout");
  const Reference& reference = contract.reference;
  if (!reference.value || !reference.tracked || !reference.wide || !reference.narrow)
    mistakes.push_back("it has no reference: take reference_from or moves_from");
}

// "none", or a written tensor and an input that are there.
void alias_mistakes(const Contract& contract, Mistakes& mistakes) {
  const auto is_there = [&](const std::string& name, bool written) {
    return std::ranges::any_of(contract.tensors, [&](const TensorSpec& tensor) {
      return tensor.name == name && (written ? tensor.role == Role::output : tensor.role == Role::input);
    });
  };
  for (const AttrSpec& attr : contract.attrs) {
    if (attr.name != kAliasAttr) continue;
    for (const std::string& choice : attr.choices) {
      Case c;
      c.set(attr.name, choice);
      const std::vector<Alias> aliases = aliases_of(c);
      const bool known = std::ranges::all_of(
          aliases, [&](const Alias& alias) { return is_there(alias.written, true) && is_there(alias.input, false); });
      if (choice != "none" && (aliases.empty() || !known))
        mistakes.push_back(fmt::format("alias '{}' is neither 'none' nor OUTPUT:INPUT", choice));
    }
  }
}

// For a case that conforms: regions lie inside their tensors and suit their roles, and a shared buffer has one size.
void region_mistakes(const Contract& contract, const Case& c, Mistakes& mistakes) {
  for (const TensorSpec& tensor : contract.tensors) {
    int64_t count = 1;
    for (const int64_t extent : shape_of(tensor, c)) count *= extent;
    const Regions regions = regions_of(tensor, c);
    for (const Regions::Run& run : regions.runs()) {
      if (run.begin < 0 || run.end > count)
        mistakes.push_back(fmt::format("region {}…{} of '{}' is outside its {} elements in '{}'", run.begin, run.end,
                                       tensor.name, count, print(c)));
      if (is_written(tensor.role) == (run.region == Region::dead))
        mistakes.push_back(
            fmt::format("'{}' is {} and has elements that are {}", tensor.name, name(tensor.role), name(run.region)));
      if (!mistakes.empty()) return;
    }
  }
  const auto spec = [&](const std::string& name) -> const TensorSpec& {
    return *std::ranges::find(contract.tensors, name, &TensorSpec::name);
  };
  for (const Alias& alias : aliases_of(c)) {
    const TensorSpec &written = spec(alias.written), &input = spec(alias.input);
    if (shape_of(written, c) != shape_of(input, c) || dtype_of(written, c) != dtype_of(input, c))
      mistakes.push_back(fmt::format("'{}' and '{}' share a buffer and differ in shape or dtype in '{}'", alias.written,
                                     alias.input, print(c)));
  }
}

std::vector<Case> smallest_cases(const Contract& contract) {
  std::vector<Case> cases;
  for (const int64_t size : {int64_t{0}, kSmall}) {
    const Case base = case_of_size(contract, size);
    cases.push_back(base);
    for (const AttrSpec& attr : contract.attrs)
      for (size_t i = 1; i < attr.choices.size(); ++i) {
        cases.push_back(base);
        cases.back().set(attr.name, attr.choices[i]);
      }
  }
  return cases;
}

template <class S>
void result_mistakes(const Contract& contract, const Case& c, const Tensors& given, const ReferenceRun<S>& reference,
                     Mistakes& mistakes) {
  const std::vector<RefTensor<S>> results = reference(c, given);
  size_t at = 0;
  for (const TensorSpec& tensor : contract.tensors) {
    if (!is_written(tensor.role)) continue;
    const bool there = at < results.size() && results[at].name == tensor.name;
    if (!there || std::ssize(results[at].values) != given.get(tensor.name).count())
      mistakes.push_back(fmt::format("the reference does not give all of '{}' in '{}'", tensor.name, print(c)));
    ++at;
  }
}

// Runs the contract's own functions on its reference's results in place of a right kernel's: a property that does not
// hold for them, whatever the budgets, holds for no kernel. One that crashes ends the process, which names it.
void oracle_mistakes(const Contract& contract, const Case& c, const Tensors& given, Mistakes& mistakes) {
  const auto run = [&](const Case& other, Tensors tensors) -> Result<Tensors> {
    if (contract.constraint)
      if (const auto refused = contract.constraint(other)) return tl::unexpected(*refused);
    for (const RefTensor<double>& result : contract.reference.value(other, tensors)) {
      Tensor& tensor = tensors.get(result.name);
      for (int64_t i = 0; i < tensor.count(); ++i) tensor.set(i, result[i]);
    }
    return tensors;
  };
  const auto unlimited = [](const Tensors& tensors, std::string_view name) {
    return std::vector<double>(static_cast<size_t>(tensors.get(std::string(name)).count()),
                               std::numeric_limits<double>::infinity());
  };
  const Result<Tensors> got = run(c, given);
  if (!got) return;
  const PropertyRun property_run{
      .c = c,
      .given = given,
      .got = *got,
      .run = run,
      .budget = [&](std::string_view name) { return unlimited(*got, name); },
      .budget_on = [&](const Case&, const Tensors& other, std::string_view name) { return unlimited(other, name); }};
  for (const Property& property : contract.properties) {
    const Running oracle(fmt::format("its property '{}' on '{}'", property.name, print(c)));
    if (const auto seen = property.broken(property_run))
      mistakes.push_back(
          fmt::format("its property '{}' does not hold for its reference in '{}': {}", property.name, print(c), *seen));
  }
  for (const Mutant& mutant : contract.mutants) {
    const Running wrong(fmt::format("its mutant '{}' on '{}'", mutant.name, print(c)));
    std::vector<RefTensor<double>> outputs = contract.reference.value(c, given);
    mutant.mutate(c, given, outputs);
  }
}

void run_mistakes(const Contract& contract, Case c, Mistakes& mistakes) {
  const auto refused = [&] { return contract.constraint ? contract.constraint(c) : std::nullopt; };
  if (contract.adjust && refused()) contract.adjust(c);
  if (const auto error = refused()) {
    // A constraint may refuse small sizes; what it refuses after the contract's own `adjust` is refused for good.
    if (contract.adjust) mistakes.push_back("its constraint refuses what its adjust has made: " + error->line());
    return;
  }
  for (const TensorSpec& tensor : contract.tensors)
    if (tensor.shape_by) shape_mistakes(contract, tensor, tensor.shape_by(c), mistakes);
  if (!mistakes.empty()) return;
  if (const auto conforming = conform(contract, c, print(c)); !conforming) {
    mistakes.push_back(conforming.error().line());
    return;
  }
  region_mistakes(contract, c, mistakes);
  if (mistakes.empty()) mistakes = step_tensor_mistakes(contract, c);
  if (!mistakes.empty()) return;
  set_current_case(print(c));
  try {
    const Tensors given = make_tensors(contract, c);
    result_mistakes(contract, c, given, contract.reference.value, mistakes);
    result_mistakes(contract, c, given, contract.reference.tracked, mistakes);
    result_mistakes(contract, c, given, contract.reference.wide, mistakes);
    result_mistakes(contract, c, given, contract.reference.narrow, mistakes);
    if (contract.reference.bits) result_mistakes(contract, c, given, contract.reference.bits, mistakes);
    if (mistakes.empty()) oracle_mistakes(contract, c, given, mistakes);
  } catch (const std::exception& error) {
    mistakes.push_back(fmt::format("an exception in '{}': {}", print(c), error.what()));
  }
  set_current_case("");
}

}  // namespace

bool is_identifier(std::string_view name) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) && std::ranges::all_of(name, in_word);
}

Case case_of_size(const Contract& contract, int64_t size) {
  Case c;
  c.op = contract.name;
  c.variant = "reference";
  c.dtype = contract.dtypes[0];
  c.seed = 1;
  for (const DimSpec& dim : contract.dims) c.set(dim.name, std::to_string(nearest(dim, size)));
  for (const AttrSpec& attr : contract.attrs) c.set(attr.name, attr.choices[0]);
  return c;
}

std::vector<std::string> contract_mistakes(const Contract& contract) {
  Mistakes mistakes;
  if (!is_identifier(contract.name)) mistakes.push_back(fmt::format("its name '{}' is no identifier", contract.name));
  name_mistakes(contract, mistakes);
  domain_mistakes(contract, mistakes);
  alias_mistakes(contract, mistakes);
  for (const TensorSpec& tensor : contract.tensors)
    if (!tensor.shape_by) shape_mistakes(contract, tensor, tensor.shape, mistakes);
  if (mistakes.empty()) mistakes = step_mistakes(contract, case_of_size(contract, kSmall));
  for (const Case& c : mistakes.empty() ? smallest_cases(contract) : std::vector<Case>{}) {
    run_mistakes(contract, c, mistakes);
    if (!mistakes.empty()) break;  // the next ones would report the same
  }
  return mistakes;
}

}  // namespace assay
