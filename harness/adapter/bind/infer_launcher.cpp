// Choosing among the launchers of a file.
#include "harness/adapter/bind/infer_launcher.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/candidates/row_lengths.h"
#include "harness/adapter/bind/host_launch.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/expression.h"

namespace assay {

std::vector<const FunctionSource*> launchers_of(const CudaSource& source, std::string_view kernel) {
  std::set<const FunctionSource*> found;
  if (source.kernels_only) return {};
  for (const LaunchSource& launch : source.launches) {
    const FunctionSource* const function = function_of(source, launch);
    if (!function || !function->is_callable || function->name == "main") continue;
    if (kernel.empty() || kernel_of(launch.kernel) == kernel) found.insert(function);
  }
  std::vector<const FunctionSource*> launchers;
  for (const FunctionSource& function : source.functions)
    if (found.contains(&function)) launchers.push_back(&function);
  return launchers;
}

const FunctionSource* find_launcher(const CudaSource& source, std::string_view name) {
  for (const FunctionSource* launcher : launchers_of(source, ""))
    if (!name.empty() && (launcher->name == name || launcher->qualified_name == name)) return launcher;
  return nullptr;
}

bool is_block_size(const Parameter& parameter) {
  static constexpr std::array kNames{"block",      "blocksize",       "blockdim",     "threads", "nthreads",
                                     "numthreads", "threadsperblock", "blockthreads", "tpb"};
  std::string name;
  for (const char c : parameter.name)
    if (c != '_') name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return !parameter.is_pointer && std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

FunctionSource given_choice(const CudaSource& source, FunctionSource launcher, const KernelSource& kernel) {
  for (const LaunchSource& launch : source.launches) {
    const FunctionSource* const around = function_of(source, launch);
    if (!around || around->line != launcher.line || kernel_of(launch.kernel) != kernel.name) continue;
    for (const std::string& condition : launch.conditions) {
      const std::vector<Token> tokens = tokens_of(condition);
      if (tokens.size() == 4 && tokens[0].is_word() && token_is(tokens, 1, "=") && token_is(tokens, 2, "="))
        if (const std::string name(tokens[0].text); number_value(tokens[3].text)) {
          if (launcher.chosen_by.insert(name).second) launcher.literals[name].clear();
          launcher.literals[name].emplace_back(tokens[3].text);
        }
    }
  }
  return launcher;
}

Result<std::vector<std::string>> choice_of(const CudaSource& source, const FunctionSource& launcher,
                                           const KernelSource& kernel, const std::vector<Match>& matches) {
  Names names = constants_of(source);
  for (size_t i = 0; i < matches.size(); ++i)
    if (matches[i].binding) names[launcher.parameters[i].name] = matches[i].binding->expression;
  std::vector<std::vector<std::string>> ways;
  std::vector<std::string> none;
  std::set<int> lines_of_others;
  for (const LaunchSource& launch : source.launches)
    if (function_of(source, launch) == &launcher && kernel_of(launch.kernel) != kernel.name)
      lines_of_others.insert(launch.line);
  for (const LaunchSource& launch : source.launches) {
    if (function_of(source, launch) != &launcher || kernel_of(launch.kernel) != kernel.name) continue;
    const auto open = [&]() -> Result<std::vector<std::string>> {
      const bool has_alike = std::ranges::any_of(source.launches, [&](const LaunchSource& other) {
        return function_of(source, other) == &launcher && kernel_of(other.kernel) != kernel.name &&
               other.arguments == launch.arguments;
      });
      if (has_alike) return fail("it launches several kernels with the same arguments, and nothing says when");
      return none;
    };
    std::vector<std::string>& conditions = ways.emplace_back();
    for (const std::string& condition : launch.conditions)
      if (const auto text = resolved(tokens_of(condition), names))
        conditions.push_back(*text);
      else
        return open();
    if (conditions.empty() && lines_of_others.contains(launch.line)) return fail("a pointer chooses among kernels");
    if (conditions.empty()) return open();
  }
  if (lines_of_others.empty() || ways.empty()) return none;
  if (ways.size() == 1) return ways[0];
  std::vector<std::string> all;
  for (const auto& conditions : ways) all.push_back(fmt::format("(({}))", fmt::join(conditions, ") && (")));
  return std::vector<std::string>{fmt::format("{}", fmt::join(all, " || "))};
}

void add_stated(Inferred& inferred, const std::vector<std::string>& conditions) {
  std::vector<std::string>& all = inferred.adapter.requirements;
  for (const std::string& condition : conditions) {
    if (is_of_equals(condition)) continue;
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(inferred.stated_requirements), condition);
    ++inferred.stated_requirements;
  }
}

std::vector<Inferred> candidates_for_launcher_of_op(const CudaSource& source, const Contract& contract,
                                                    const std::string& path) {
  std::vector<Inferred> only;
  for (const FunctionSource* launcher : launchers_of(source, "")) {
    if (!names_op(*launcher, contract.name)) continue;
    std::vector<Inferred> candidates = candidates_for_launcher(source, *launcher, contract, path);
    if (candidates.empty()) continue;
    if (!only.empty()) return {};
    only = std::move(candidates);
  }
  return only;
}

Inferred infer_entry(const CudaSource& source, const KernelSource& kernel, const Contract& contract,
                     const std::string& path) {
  std::vector<Inferred> complete;
  std::vector<std::string> passed_over;
  for (const FunctionSource* launcher : launchers_of(source, kernel.name)) {
    Inferred inferred = infer_launcher(source, *launcher, contract, path);
    const auto chooses = choice_of(source, *launcher, kernel, match_parameters(*launcher, contract));
    if (chooses)
      add_stated(inferred, *chooses);
    else
      inferred.unknown.push_back(chooses.error().what);
    if (inferred.unknown.empty())
      complete.push_back(std::move(inferred));
    else
      passed_over.push_back(fmt::format("{} in line {} launches it and is not called: {}.", launcher->name,
                                        launcher->line, inferred.unknown[0]));
  }
  if (complete.size() == 1) return std::move(complete[0]);
  Inferred inferred = infer_adapter(source, kernel, contract, path);
  for (std::string& sentence : passed_over) inferred.remarks.push_back(std::move(sentence));
  if (complete.size() > 1)
    inferred.remarks.push_back(fmt::format("{} functions launch it, and none of them is called.", complete.size()));
  return inferred;
}

namespace {
bool is_guessed(const Inferred& inferred) { return !inferred.guesses.empty() || !inferred.launch_guesses.empty(); }

// Whether rows have another length by a kernel's indices than by the names of its parameters.
bool contradicts_indices(const KernelSource& called, const Contract& contract) {
  const std::vector<Match> matches = match_parameters(called, contract);
  std::map<std::string, const Binding*> bindings;
  for (size_t i = 0; i < matches.size(); ++i) {
    if (!matches[i].binding) return false;
    bindings[called.parameters[i].name] = &*matches[i].binding;
  }
  return !RowLengths(called, contract).agreeing(bindings);
}
}  // namespace

std::vector<Inferred> candidates_for_kernel(const CudaSource& source, const KernelSource& kernel,
                                            const Contract& contract, const std::string& path) {
  std::vector<Inferred> candidates;
  Inferred entry = infer_entry(source, kernel, contract, path);
  const bool in_doubt = !entry.unknown.empty() || is_guessed(entry);
  std::optional<Inferred> other;
  if (!in_doubt) {
    const std::string called = kernel_of(entry.adapter.launches[0].entry);
    const FunctionSource* launcher = entry.adapter.launches[0].is_launcher ? find_launcher(source, called) : nullptr;
    other = exchanged(entry, launcher ? *launcher : kernel, contract);
    if (other && contradicts_indices(launcher ? *launcher : kernel, contract)) {
      std::swap(entry, *other);
      std::swap(entry.guesses, other->guesses);
    }
  }
  if (entry.unknown.empty()) candidates.push_back(std::move(entry));
  if (other) candidates.push_back(std::move(*other));
  if (in_doubt)
    for (Inferred& each : candidate_adapters(source, kernel, contract, path)) candidates.push_back(std::move(each));
  std::erase_if(candidates,
                [&](const Inferred& each) { return !wrong_arguments(source, each.adapter, contract).empty(); });
  return with_named_choices(std::move(candidates), kernel.name, contract);
}

bool is_to_be_tried(const std::vector<Inferred>& candidates) {
  return candidates.size() > 1 || (candidates.size() == 1 && is_guessed(candidates[0]));
}

}  // namespace assay
