// Ops whose output lies where an input was, in kernels that have one parameter for both.
#include <fmt/format.h>

#include <algorithm>

#include "harness/adapter/bind/match.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/cuda_text.h"

namespace assay {

std::string tensor_in(std::string_view expression) {
  const std::vector<Token> tokens = tokens_of(expression);
  return std::string(token_is(tokens, 0, "columns") && tokens.size() > 2 ? tokens[2].text : expression);
}

std::vector<Binding> parts_of(const Binding& whole) {
  std::vector<Binding> parts;
  if (!whole.spec || whole.spec->shape.empty()) return parts;
  const std::string& last = whole.spec->shape.back();
  const size_t times = last.find('*');
  const auto count = times == std::string::npos ? std::nullopt : number_value(last.substr(0, times));
  if (!count) return parts;
  const std::string one = last.substr(times + 1);
  for (int64_t i = 0; i < *count; ++i) {
    TensorSpec spec = *whole.spec;
    spec.shape.back() = one;
    Binding& part = parts.emplace_back(whole);
    const auto place = static_cast<size_t>(i);
    part.aliases = place < spec.parts.size() ? spec.parts[place] : std::vector<std::string>();
    part.name = part.expression = fmt::format("columns({}, {}, {})", spec.name,
                                              i == 0   ? "0"
                                              : i == 1 ? one
                                                       : fmt::format("{} * {}", i, one),
                                              one);
    part.part_of = whole.spec;
    part.part = std::make_shared<const TensorSpec>(std::move(spec));
    part.spec = part.part.get();
  }
  return parts;
}

std::vector<Binding> with_parts(std::vector<Binding> bindings) {
  const size_t count = bindings.size();
  for (size_t i = 0; i < count; ++i)
    for (Binding& part : parts_of(bindings[i])) bindings.push_back(std::move(part));
  return bindings;
}

bool can_be_in_place(const TensorSpec& output, const TensorSpec& input) {
  return output.role == Role::output && input.role == Role::input && !output.shape.empty() &&
         output.shape == input.shape && output.dtype == input.dtype && !output.dtype_by && !input.dtype_by;
}

// The first choice of which buffers are one that `is_meant`; "" for none.
template <class IsMeant>
static std::string first_alias(const Contract& contract, const IsMeant& is_meant) {
  for (const AttrSpec& attr : contract.attrs)
    for (const std::string& choice : attr.choices)
      if (attr.name == kAliasAttr && is_meant(aliases_in(choice))) return choice;
  return {};
}

std::string alias_of(const Contract& contract, std::string_view written, std::string_view input) {
  return first_alias(contract, [&](const std::vector<Alias>& all) {
    return std::ranges::any_of(all,
                               [&](const Alias& alias) { return alias.written == written && alias.input == input; });
  });
}

std::string alias_of(const Contract& contract, const std::vector<Match>& matches) {
  const auto is_taken = [&](const std::string& tensor) {
    return std::any_of(matches.begin(), matches.end(),
                       [&](const Match& match) { return match.binding && match.binding->name == tensor; });
  };
  const auto is_replaced = [&](const std::string& input) {  // by what a parameter takes
    const auto spec = std::ranges::find(contract.tensors, input, &TensorSpec::name);
    return std::ranges::any_of(contract.tensors, [&](const TensorSpec& other) {
      return is_taken(other.name) && are_alternatives(contract, *spec, other);
    });
  };
  return first_alias(contract, [&](const std::vector<Alias>& all) {
    return !all.empty() && std::ranges::all_of(all, [&](const Alias& alias) {
      return is_taken(alias.written) && !is_taken(alias.input) && !is_replaced(alias.input);
    });
  });
}

}  // namespace assay
