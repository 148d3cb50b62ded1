// Goes through the fields of one structure after the other, as they stand among the parameters.
#include "harness/adapter/read/records.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

// One past the last field of the structure that a parameter begins, or past the parameter itself.
size_t end_of(const std::vector<Parameter>& parameters, size_t begin) {
  size_t end = begin + 1;
  while (!parameters[begin].record_type.empty() && end < parameters.size() &&
         parameters[end].record_type == parameters[begin].record_type &&
         parameters[end].record == parameters[begin].record)
    ++end;
  return end;
}

bool has_records(const std::vector<Parameter>& parameters) {
  return std::ranges::any_of(parameters, [](const Parameter& each) { return !each.record_type.empty(); });
}

}  // namespace

std::string with_fields(const std::string& code, const std::vector<Parameter>& parameters) {
  if (!has_records(parameters)) return code;
  const std::vector<Token> tokens = tokens_of(code);
  Replaced text(code);
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool is_field = token_is(tokens, i + 1, ".") && (i == 0 || tokens[i - 1].text != ".") &&
                          std::ranges::any_of(parameters, [&](const Parameter& each) {
                            return tokens[i].text == each.record && tokens[i + 2].text == each.name;
                          });
    if (is_field) text.replace(tokens[i].at, tokens[i + 2].at, "");
  }
  return text.take();
}

std::vector<std::string> fields_of(const Texts& arguments, const std::vector<Parameter>& kernel) {
  if (!has_records(kernel)) return arguments;
  Texts all;
  size_t at = 0;
  for (const std::string& argument : arguments) {
    if (at >= kernel.size()) return arguments;
    const size_t end = end_of(kernel, at);
    for (; at < end; ++at) all.push_back(kernel[at].record_type.empty() ? argument : argument + "." + kernel[at].name);
  }
  return all;
}

std::vector<std::string> in_records(const Texts& arguments, const std::vector<Parameter>& parameters) {
  Texts all;
  for (size_t begin = 0; begin < parameters.size();) {
    const size_t end = end_of(parameters, begin);
    const Texts fields(arguments.begin() + static_cast<std::ptrdiff_t>(begin),
                       arguments.begin() + static_cast<std::ptrdiff_t>(end));
    all.push_back(parameters[begin].record_type.empty()
                      ? fields[0]
                      : fmt::format("{}({})", parameters[begin].record_type, fmt::join(fields, ", ")));
    begin = end;
  }
  return all;
}

std::vector<std::string> without_records(const Texts& arguments, const std::vector<Parameter>& parameters) {
  Texts all;
  size_t begin = 0;
  for (const std::string& argument : arguments) {
    if (begin >= parameters.size()) return arguments;
    const size_t end = end_of(parameters, begin), fields = end - begin;
    const std::string head = parameters[begin].record_type + "(";
    begin = end;
    if (head == "(") {
      all.push_back(argument);
      continue;
    }
    if (!argument.starts_with(head) || !argument.ends_with(')')) return arguments;
    const std::string inside = argument.substr(head.size(), argument.size() - head.size() - 1);
    const std::vector<Token> tokens = tokens_of(inside);
    const auto parts = split_at_commas(tokens, 0, tokens.size());
    if (parts.size() != fields) return arguments;
    for (const std::vector<Token>& part : parts) all.push_back(spelled(part));
  }
  return all;
}

}  // namespace assay
