// Following a launch's arguments to the names that the launching function cannot be followed beyond.
#include "harness/adapter/bind/host_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/adapter/bind/infer_launch.h"
#include "harness/adapter/read/arithmetic.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;

// A host's expression over the names that it ends at.
struct Computed {
  std::string text;
  std::vector<std::string> names;
};

// The names that the argument stands on, which the launching function's parameters are.
Computed computed_by(const CudaSource& source, const Tokens& argument) {
  Names names = constants_of(source);
  for (size_t i = 0; i < argument.size(); ++i) {
    const std::string name(argument[i].text);
    const bool is_member = i > 0 && is_one_of(argument[i - 1].text, {".", "::"});
    const bool has_member = token_is(argument, i + 1, ".") || token_is(argument, i + 1, "::");
    if (argument[i].is_word() && !is_member && !has_member && !token_is(argument, i + 1, "("))
      names.try_emplace(name, name);
  }
  const auto text = resolved(argument, names);
  if (!text) return {};
  Computed all{*text, {}};
  for (const Token& token : tokens_of(*text)) {
    const std::string name(token.text);
    const auto end = names.find(name);
    const bool is_end = end != names.end() && end->second == name;
    if (is_end && std::find(all.names.begin(), all.names.end(), name) == all.names.end()) all.names.push_back(name);
  }
  return all;
}

// n / 4, n % 4
bool is_part_of_a_number(const std::string& text) {
  const Tokens tokens = tokens_of(text);
  for (size_t i = 1; i + 1 < tokens.size(); ++i)
    if (is_one_of(tokens[i].text, {"/", "%"}) && number_value(tokens[i + 1].text)) return true;
  return false;
}

// Whether a launch's block has a word as an extent: n of dim3(n, 2), and not of dim3(n / 4).
bool has_extent(const std::string& block, const std::string& word) {
  const Tokens tokens = tokens_of(block);
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].text == word && (i == 0 || is_one_of(tokens[i - 1].text, {"(", "{", ","})) &&
        (i + 1 == tokens.size() || is_one_of(tokens[i + 1].text, {")", "}", ","})))
      return true;
  return false;
}

// The text with expressions in the places of names, in brackets where they are no single word.
std::string with_values(const std::string& text, const Names& values) {
  const auto out = resolved(tokens_of(text), {values, {}});
  return out ? *out : text;
}

// `function`: null where it is one of another file.
Parameter parameter_for(const FunctionSource* function, const std::string& name) {
  for (const Parameter& each : function ? function->parameters : std::vector<Parameter>())
    if (each.name == name) return each;
  return {"int", name};
}

// An object of the host's is nothing that the op has.
bool is_number(const Parameter& parameter) {
  return is_whole_number(parameter) || (!parameter.is_pointer && is_one_of(parameter.type, {"float", "double"}));
}

}  // namespace

HostArguments::HostArguments(const CudaSource& source, const KernelSource& kernel, const Contract& contract)
    : asked_(kernel) {
  for (size_t i = 0; i < kernel.parameters.size(); ++i) sources_.push_back({i, ""});
  const LaunchSource* host = own_launch(source, kernel);
  const FunctionSource* function = host ? function_of(source, *host) : nullptr;
  if (!host || host->arguments.size() != kernel.parameters.size()) return;
  const std::vector<Match> plain = match_parameters(kernel, contract);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (!is_whole_number(kernel.parameters[i])) continue;
    const Computed one = computed_by(source, tokens_of(host->arguments[i]));
    if (one.names.empty() || (one.names.size() == 1 && one.text == one.names[0])) continue;
    const bool is_block =
        host->configuration.size() > 1 && std::any_of(one.names.begin(), one.names.end(), [&](const std::string& name) {
          return has_extent(host->configuration[1], name);
        });
    const bool of_others = std::any_of(one.names.begin(), one.names.end(), [&](const std::string& name) {
      return !is_number(parameter_for(function, name));
    });
    if (is_block || of_others || (plain[i].binding && !is_part_of_a_number(one.text))) continue;
    sources_[i] = {0, one.text, one.names};
  }
  if (std::all_of(sources_.begin(), sources_.end(), [](const Source& each) { return each.computed.empty(); })) return;
  asked_.parameters.clear();
  std::map<std::string, size_t>
      places;  // of names that the host passes as they are, and of those that it computes from
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (!sources_[i].computed.empty()) continue;
    sources_[i].place = asked_.parameters.size();
    places.try_emplace(host->arguments[i], sources_[i].place);
    asked_.parameters.push_back(kernel.parameters[i]);
  }
  for (Source& each : sources_)
    for (const std::string& name : each.names) {
      const auto [place, is_new] = places.try_emplace(name, asked_.parameters.size());
      if (is_new) asked_.parameters.push_back(parameter_for(function, name));
      each.places.push_back(place->second);
    }
}

Match HostArguments::computed(const Source& source, const std::vector<Match>& of_asked) const {
  Match match;
  Binding binding;
  binding.kind = Binding::value;
  Names values;
  for (size_t i = 0; i < source.names.size(); ++i) {
    const Match& of_name = of_asked.at(source.places[i]);
    if (!of_name.binding) {
      match.doubt = fmt::format("which the launch computes from '{}': {}", source.names[i], of_name.doubt);
      return match;
    }
    values[source.names[i]] = of_name.binding->expression;
    binding.host_names.emplace_back(source.names[i], of_name.binding->name);
  }
  binding.name = binding.expression = with_values(source.computed, values);
  match.binding = std::move(binding);
  return match;
}

std::vector<Match> HostArguments::answered(const std::vector<Match>& of_asked) const {
  std::vector<Match> all;
  for (const Source& each : sources_)
    all.push_back(each.computed.empty() ? of_asked.at(each.place) : computed(each, of_asked));
  return all;
}

std::vector<Match> match_arguments(const CudaSource& source, const KernelSource& kernel, const Contract& contract) {
  const HostArguments arguments(source, kernel, contract);
  return arguments.answered(match_parameters(arguments.asked(), contract));
}

}  // namespace assay
