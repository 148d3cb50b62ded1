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

// Each of them once more with sums in 16 bits, for a kernel whose text has no other arithmetic: a float4 is eight
// halves.
void sum_in_halves(const KernelSource& kernel, std::vector<Inferred>& all) {
  for (const char* type : {"float", "float2", "double"})
    if (kernel.facts.types.contains(type)) return;
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

// Whether a condition of a launcher has no value: a number that is taken as absent divides in it, or it asks for an
// element of a container that is. Its author gives others.
bool has_no_value(const std::string& requirement) {
  const std::vector<Token> tokens = tokens_of(requirement);
  for (size_t i = 1; i < tokens.size(); ++i)
    if ((tokens[i].text == "0" && is_one_of(tokens[i - 1].text, {"/", "%"})) ||
        (tokens[i].text == "[" && tokens[i - 1].text == ")"))
      return true;
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
  if (only.unknown.empty() && only.guesses.empty()) return {std::move(only)};
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
    for (const BindingCandidate& candidate :
         ranked_bindings(given_choice(source, *launcher, kernel), contract, kBindingsMax)) {
      const auto chooses = choice_of(source, *launcher, kernel, candidate.matches);
      if (!chooses) continue;
      const auto infer = [&](const Choices& choices) {
        Inferred one = infer_candidate(source, *launcher, candidate, contract, choices);
        add_stated(one, *chooses);
        return one;
      };
      add_complete(contract, infer, all);
    }
  hold_built_in_sizes(source, kernel, contract, all);
  const std::vector<Inferred> plain = all;
  fix_untaken(contract, plain, all);
  all = with_whole_parts(std::move(all), source, kernel, contract);
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
           std::ranges::any_of(each.adapter.requirements, has_no_value);
  });
  std::set<std::string> seen;
  std::erase_if(all, [&](const Inferred& each) { return !seen.insert(print(each.adapter, {})).second; });
  if (all.size() > kCandidatesMax) all.resize(kCandidatesMax);
  return all;
}

}  // namespace assay
