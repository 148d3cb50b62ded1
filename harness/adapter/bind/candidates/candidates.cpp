// Makes and sorts all candidates for a kernel: bindings of the parameters, template arguments, launches, and what the
// file's launchers take.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/adapter/bind/candidates/body.h"
#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/host_arguments.h"
#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/bind/probe.h"
#include "harness/adapter/read/expression.h"

namespace assay {
namespace {

constexpr size_t kCandidatesMax = 600, kBindingsMax = 64, kOpenMax = 3, kChoicesMax = 40;
constexpr size_t kDear = 2;                           // the first choice of an attribute is the usual one
constexpr size_t kCompletedMax = 2 * kCandidatesMax;  // some take arguments that are wrong by their types or names

// Whether the attributes that are open have few choices together.
bool can_try_all(const Contract& contract, const std::vector<std::string>& open) {
  size_t count = open.size() <= kOpenMax ? 1 : kChoicesMax + 1;
  for (const AttrSpec& attr : contract.attrs)
    if (std::ranges::find(open, attr.name) != open.end()) count *= attr.choices.size();
  return count <= kChoicesMax;
}

BindingCandidate merged(BindingCandidate candidate, const BindingCandidate& more) {
  candidate.template_values = more.template_values;
  candidate.guesses.insert(candidate.guesses.end(), more.guesses.begin(), more.guesses.end());
  candidate.cost += more.cost;
  return candidate;
}

// A binding with its template arguments and one launch: a candidate before all that follows from it is worked out.
struct Start {
  BindingCandidate binding;
  InferredLaunch launch;
  int cost() const { return binding.cost + launch.cost; }
};

// The cheapest first.
std::vector<Start> starts(const CudaSource& source, const KernelSource& kernel, const Contract& contract) {
  const std::vector<BindingCandidate> templates = template_candidates(source, kernel);
  const HostArguments host(source, kernel, contract);
  std::vector<Start> all;
  for (BindingCandidate& binding : ranked_bindings(host.asked(), contract, kBindingsMax)) {
    binding.matches = host.answered(binding.matches);
    for (const BindingCandidate& arguments : templates) {
      const BindingCandidate candidate = merged(binding, arguments);
      BindingCandidate launched = candidate;  // in the file, with these template arguments: they are no guess
      launched.guesses = binding.guesses;
      for (InferredLaunch& launch : launch_candidates(source, kernel, candidate, contract)) {
        const bool is_own = launch.authors_line != 0;
        all.push_back({is_own ? launched : candidate, std::move(launch)});
      }
    }
  }
  std::ranges::stable_sort(all, {}, &Start::cost);
  return all;
}

// Adds an adapter if it is complete, or once for each choice of the few attributes that are all it leaves open.
template <class Infer>
void add_complete(const Contract& contract, const Infer& infer, std::vector<Inferred>& all, const Choices& made = {}) {
  Inferred one = infer(made);
  if (one.unknown.empty()) {
    all.push_back(std::move(one));
  } else if (one.open_attrs.size() == one.unknown.size() && can_try_all(contract, one.open_attrs)) {
    const auto attr = std::ranges::find(contract.attrs, one.open_attrs[0], &AttrSpec::name);
    for (size_t i = 0; i < attr->choices.size(); ++i) {
      Choices more = made;
      more.push_back({attr->name, attr->choices[i]});
      const size_t before = all.size();
      add_complete(contract, infer, all, more);
      for (size_t added = before; added < all.size(); ++added) all[added].cost += static_cast<int>(std::min(i, kDear));
    }
  }
}

// The words of the arguments, and those of the grid: a block for each of a size takes it, too.
std::set<std::string> with_grid(std::set<std::string> words, const Inferred& inferred) {
  for (const AdapterLaunch& launch : inferred.adapter.launches)
    for (const std::string& extent : launch.grid)
      for (const Token& token : tokens_of(extent)) words.emplace(token.text);
  return words;
}

// A kernel with two numbers for one size is no kernel for squares, which would hide what it takes for a row's length.
bool passes_twice(const Inferred& inferred, const std::string& dim) {
  return std::ranges::any_of(inferred.adapter.launches,
                             [&](const AdapterLaunch& launch) { return std::ranges::count(launch.args, dim) > 1; });
}

// A kernel of one size where the op has three and more: squares, of which all sizes are that one.
void fix_to_only_size(const Contract& contract, const std::set<std::string>& words, const Inferred& plain,
                      std::vector<Inferred>& all) {
  std::vector<std::string> taken, others;
  for (const DimSpec& dim : contract.dims)
    if (is_extent(contract, dim)) (words.contains(dim.name) ? taken : others).push_back(dim.name);
  if (taken.size() != 1 || others.size() < 2 || passes_twice(plain, taken[0])) return;
  Inferred one = plain;
  for (const std::string& name : others) {
    if (std::any_of(one.adapter.fixed.begin(), one.adapter.fixed.end(),
                    [&](const Fixed& fixed) { return fixed.name == name; }))
      return;
    one.adapter.fixed.push_back({name, taken[0]});
    one.guesses.push_back(fmt::format("{} is {}", name, taken[0]));
  }
  one.cost -= 1;  // before the candidate that leaves the sizes open
  all.push_back(std::move(one));
}

// A dim counts what the last word of its meaning says: "queries of a sequence" and "keys of a sequence" count alike.
std::string_view counted_by(const DimSpec& dim) {
  const std::string_view meaning = dim.meaning;
  return meaning.substr(meaning.find_last_of(' ') + 1);
}

// Whether the op's first output has two extents of these at least: a single row hides what a kernel does wrong with
// rows.
bool has_rows_and_columns(const Contract& contract, const std::set<std::string>& dims) {
  const auto output =
      std::ranges::find_if(contract.tensors, [](const TensorSpec& tensor) { return tensor.role != Role::input; });
  if (output == contract.tensors.end() || output->shape_by) return true;
  return std::ranges::count_if(output->shape, [&](const std::string& extent) { return dims.contains(extent); }) > 1;
}

// Whether the op sums along a dim, or chooses along it: inputs have it, and no output. One term would hide what a
// kernel does wrong with the others.
bool is_summed_along(const Contract& contract, const DimSpec& dim) {
  const auto has = [&](const TensorSpec& tensor) {
    const ShapeText shape = tensor.shape_by ? tensor.shape_by(probe(contract)) : tensor.shape;
    return std::ranges::any_of(shape, [&](const std::string& extent) { return mentions(tokens_of(extent), dim.name); });
  };
  const auto is_output = [](const TensorSpec& tensor) { return tensor.role != Role::input; };
  return !dim.repeats && std::ranges::any_of(contract.tensors, has) &&
         std::ranges::none_of(contract.tensors,
                              [&](const TensorSpec& tensor) { return is_output(tensor) && has(tensor); });
}

// A kernel that takes some of the op's three and more sizes, and never the others: those that count alike are the same
// number, as of keys and queries, a distance between rows is their length, and the rest is 1, as of batches and heads.
void fix_others(const Contract& contract, const std::set<std::string>& words, const Inferred& plain,
                std::vector<Inferred>& all) {
  std::vector<const DimSpec*> taken, others;
  Inferred one = plain;
  const auto fix = [&](const DimSpec& dim, const std::string& value) {
    one.adapter.fixed.push_back({dim.name, value});
    one.guesses.push_back(fmt::format("{} is {}", dim.name, value));
  };
  bool is_unpadded = false;
  for (const DimSpec& dim : contract.dims) {
    const bool is_fixed =
        std::ranges::any_of(plain.adapter.fixed, [&](const Fixed& fixed) { return fixed.name == dim.name; });
    if (!is_extent(contract, dim) || is_fixed) continue;
    if (!words.contains(dim.name) && words.contains(dim.unpadded))
      fix(dim, dim.unpadded), is_unpadded = true;
    else
      (words.contains(dim.name) ? taken : others).push_back(&dim);
  }
  if (others.empty() && is_unpadded) all.push_back(one);
  if (taken.size() < 2 || others.empty()) return;
  std::set<std::string> several;  // the dims that are not 1
  for (const DimSpec* dim : taken) several.insert(dim->name);
  for (const DimSpec* other : others) {
    const auto alike =
        std::ranges::find_if(taken, [&](const DimSpec* dim) { return counted_by(*dim) == counted_by(*other); });
    if (alike == taken.end() && is_summed_along(contract, *other)) return;
    const std::string value = alike == taken.end() ? "1" : (*alike)->name;
    if (alike != taken.end()) several.insert(other->name);
    fix(*other, value);
  }
  if (has_rows_and_columns(contract, several)) all.push_back(std::move(one));
}

// Whether each size that is passed is one of a tensor that is passed: another one, beside a single row, is that row's
// number under a wrong name.
bool sizes_are_of_tensors(const Contract& contract, const std::set<std::string>& words) {
  return std::ranges::all_of(contract.dims, [&](const DimSpec& dim) {
    return !words.contains(dim.name) || !is_extent(contract, dim) ||
           std::ranges::any_of(contract.tensors, [&](const TensorSpec& tensor) {
             const auto has_dim = [&](const std::string& extent) { return mentions(tokens_of(extent), dim.name); };
             return words.contains(tensor.name) && (tensor.shape_by || std::ranges::any_of(tensor.shape, has_dim));
           });
  });
}

// The dims that a candidate leaves to the grid, and what they might be instead: one row, or as many columns as rows.
void fix_untaken(const Contract& contract, const std::vector<Inferred>& plain, std::vector<Inferred>& all) {
  const bool has_rows = contract.dims.size() == 2 || (contract.dims.size() > 2 && !rows_of(contract).empty());
  for (const Inferred& each : plain) {
    std::set<std::string> words;
    for (const AdapterLaunch& launch : each.adapter.launches)
      for (const std::string& arg : launch.args)
        for (const Token& token : tokens_of(arg)) words.emplace(token.text);
    fix_to_only_size(contract, with_grid(words, each), each, all);
    fix_others(contract, with_grid(words, each), each, all);
    if (!has_rows) continue;
    const std::string &rows = contract.dims[0].name, &cols = contract.dims[1].name;
    if (words.contains(rows) == words.contains(cols)) continue;
    for (const auto& [name, value] :
         {std::pair{rows, std::string("1")}, std::pair{cols, rows}, std::pair{rows, cols}}) {
      if (words.contains(name) || (value == "1" && !sizes_are_of_tensors(contract, words)) || passes_twice(each, value))
        continue;
      Inferred one = each;
      const auto known = std::find_if(one.adapter.fixed.begin(), one.adapter.fixed.end(),
                                      [&](const Fixed& fixed) { return fixed.name == name; });
      if (known != one.adapter.fixed.end()) continue;
      one.adapter.fixed.push_back({name, value});
      one.guesses.push_back(fmt::format("{} is {}", name, value));
      one.cost += value == "1" ? 1 : 2;
      all.push_back(std::move(one));
    }
  }
}

// Each of them once more with sums in 16 bits, for a kernel whose text has no other arithmetic.
void sum_in_halves(const KernelSource& kernel, std::vector<Inferred>& all) {
  for (const Token& token : tokens_of(kernel.body))
    if (is_one_of(token.text, {"float", "float2", "float4", "double"})) return;
  const size_t count = all.size();
  for (size_t i = 0; i < count; ++i) {
    const std::vector<DType>& dtypes = all[i].adapter.dtypes;
    if (dtypes.size() != 1 || (dtypes[0] != DType::f16 && dtypes[0] != DType::bf16)) continue;
    Inferred one = all[i];
    one.adapter.accumulate = dtypes[0] == DType::f16 ? Accumulate::f16 : Accumulate::bf16;
    one.guesses.push_back(fmt::format("sums are kept in {}, since {} has no f32", name(dtypes[0]), kernel.name));
    one.cost += 1;
    all.push_back(std::move(one));
  }
}

// The conditions under which a launcher that has several kernels launches this one, which cases must meet: the others
// would be judged in its place. Nothing where they are not understood.
std::vector<std::string> choice_of(const CudaSource& source, const FunctionSource& launcher, const KernelSource& kernel,
                                   const std::vector<Match>& matches) {
  Scope scope{constants_of(source), {}};
  for (size_t i = 0; i < matches.size(); ++i)
    if (matches[i].binding) scope.names[launcher.parameters[i].name] = matches[i].binding->expression;
  std::vector<std::vector<std::string>> ways;
  bool has_others = false;
  for (const LaunchSource& launch : source.launches) {
    if (function_of(source, launch) != &launcher) continue;
    if (kernel_of(launch.kernel) != kernel.name) {
      has_others = true;
      continue;
    }
    std::vector<std::string>& conditions = ways.emplace_back();
    for (const std::string& condition : launch.conditions) {
      const auto text = resolved(tokens_of(condition), scope);
      if (!text) return {};
      conditions.push_back(*text);
    }
    if (conditions.empty()) return {};
  }
  if (!has_others || ways.empty()) return {};
  if (ways.size() == 1) return ways[0];
  std::vector<std::string> all;
  for (const auto& conditions : ways) all.push_back(fmt::format("(({}))", fmt::join(conditions, ") && (")));
  return {fmt::format("{}", fmt::join(all, " || "))};
}

// As a condition of a launcher does in which a number that is taken as absent divides: its author gives another.
bool divides_by_zero(const std::string& requirement) {
  const std::vector<Token> tokens = tokens_of(requirement);
  for (size_t i = 1; i < tokens.size(); ++i)
    if (tokens[i].text == "0" && is_one_of(tokens[i - 1].text, {"/", "%"})) return true;
  return false;
}

}  // namespace

std::vector<Inferred> candidates_for_launcher(const CudaSource& source, const FunctionSource& launcher,
                                              const Contract& contract, const std::string& path) {
  BindingCandidate candidate{match_parameters(launcher, contract)};
  std::vector<Inferred> all;
  add_complete(
      contract, [&](const Choices& choices) { return infer_candidate(source, launcher, candidate, contract, choices); },
      all);
  for (Inferred& each : all) each.adapter.source = path;
  return all;
}

std::vector<Inferred> candidate_adapters(const CudaSource& source, const KernelSource& kernel, const Contract& contract,
                                         const std::string& path) {
  std::vector<Inferred> all;
  Inferred only = infer_adapter(source, kernel, contract, path);
  if (only.unknown.empty() && only.guesses.empty())
    return with_built_in_rows({std::move(only)}, source, kernel, contract);
  for (const Start& start : starts(source, kernel, contract)) {
    if (all.size() >= kCompletedMax) break;
    add_complete(
        contract,
        [&](const Choices& choices) {
          return infer_candidate(source, kernel, start.binding, start.launch, contract, choices);
        },
        all);
  }
  for (const FunctionSource* launcher : launchers_of(source, kernel.name))
    for (const BindingCandidate& candidate : ranked_bindings(*launcher, contract, kBindingsMax)) {
      const std::vector<std::string> chooses = choice_of(source, *launcher, kernel, candidate.matches);
      const auto infer = [&](const Choices& choices) {
        Inferred one = infer_candidate(source, *launcher, candidate, contract, choices);
        std::vector<std::string>& all_required = one.adapter.requirements;
        all_required.insert(all_required.begin(), chooses.begin(), chooses.end());
        one.stated_requirements = all_required.size();
        return one;
      };
      add_complete(contract, infer, all);
    }
  const std::vector<Inferred> plain = all;
  fix_untaken(contract, plain, all);
  all = with_built_in_rows(std::move(all), source, kernel, contract);
  all = with_whole_parts(std::move(all), source, kernel, contract);
  all = with_rows_of_threads(std::move(all), source, kernel, contract);
  sum_in_halves(kernel, all);
  keep_to_halved_blocks(all, source, kernel);
  const auto counts = counts_of_elements(kernel);
  for (Inferred& each : all) {
    each.adapter.source = path;
    if (counts.size() == 1) each.bound = counts.begin()->first;
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  std::erase_if(all, [&](const Inferred& each) {
    return !each.unknown.empty() || !wrong_arguments(source, each.adapter, contract).empty() ||
           std::ranges::any_of(each.adapter.requirements, divides_by_zero);
  });
  std::set<std::string> seen;
  std::erase_if(all, [&](const Inferred& each) { return !seen.insert(print(each.adapter, {})).second; });
  if (all.size() > kCandidatesMax) all.resize(kCandidatesMax);
  return all;
}

}  // namespace assay
