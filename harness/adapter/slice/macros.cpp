// Reading #define lines, and replacing by text.
#include "harness/adapter/slice/macros.h"

#include <algorithm>
#include <iterator>

#include "harness/adapter/cuda_text.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;

// Macros that call each other grow quickly; a text beyond this is left as far as it got.
constexpr size_t kExpandedMax = size_t{1} << 20;

bool follows(const Token& token, const Token& before) { return token.at == before.at + before.text.size(); }

// The text behind `#define`, one logical line.
void read_definition(const Tokens& line, std::string_view code,
                     std::map<std::string, std::vector<Macro>, std::less<>>& macros) {
  Macro macro;
  size_t body = 3;
  if (line.size() > 3 && line[3].text == "(" && follows(line[3], line[2])) {
    macro.takes_arguments = true;
    const size_t close = closing(line, 3);
    for (const Tokens& part : split_at_commas(line, 4, std::min(close, line.size())))
      macro.parameters.emplace_back(!part.empty() && part.front().is_word() ? part.front().text : "__VA_ARGS__");
    body = std::min(close, line.size() - 1) + 1;
  }
  if (body < line.size()) {
    const size_t begin = line[body].at;
    macro.body = code.substr(begin, line.back().at + line.back().text.size() - begin);
  }
  macros[std::string(line[2].text)].push_back(std::move(macro));
}

// Arguments of a call whose parenthesis opens at `open`, as spelled.
std::vector<std::string> arguments(const Tokens& tokens, size_t open, size_t close) {
  std::vector<std::string> all;
  for (const Tokens& part : split_at_commas(tokens, open + 1, close)) all.push_back(spelled(part));
  return all;
}

std::string argument_for(const Macro& macro, const std::vector<std::string>& given, std::string_view word) {
  for (size_t i = 0; i < macro.parameters.size(); ++i) {
    if (macro.parameters[i] != word) continue;
    if (word != "__VA_ARGS__") return i < given.size() ? given[i] : "";
    std::string rest;
    for (size_t j = i; j < given.size(); ++j) rest += (j > i ? ", " : "") + given[j];
    return rest;
  }
  return std::string(word);
}

// The body with the arguments in their places, and what ## joins joined.
std::string substituted(const Macro& macro, const std::vector<std::string>& given) {
  std::string out;
  const Tokens tokens = tokens_of(macro.body);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (token_is(tokens, i, "#") && token_is(tokens, i + 1, "#")) {
      while (out.ends_with(' ')) out.pop_back();
      ++i;
    } else {
      const bool joins = i > 1 && token_is(tokens, i - 1, "#") && token_is(tokens, i - 2, "#");
      if (!joins && !out.empty()) out += ' ';
      out += tokens[i].is_word() ? argument_for(macro, given, tokens[i].text) : std::string(tokens[i].text);
    }
  }
  return out;
}

}  // namespace

Macros Macros::of(std::string_view code) {
  Macros macros;
  for (size_t begin = 0; begin < code.size();) {
    const size_t end = end_of_logical_line(code, begin);
    if (directive_of(code.substr(begin, end - begin)) == "define") {
      const std::string_view text = code.substr(begin, end - begin);
      const Tokens line = tokens_of(text);
      if (line.size() > 2 && line[2].is_word()) read_definition(line, text, macros.macros_);
    }
    begin = end + 1;
  }
  return macros;
}

const std::vector<Macro>& Macros::find(std::string_view name) const {
  static const std::vector<Macro> kNone;
  const auto found = macros_.find(name);
  return found == macros_.end() ? kNone : found->second;
}

void Macros::append_expanded(std::string_view code, std::set<std::string>& active, std::string& out) const {
  const Tokens tokens = tokens_of(code);
  for (size_t i = 0; i < tokens.size() && out.size() < kExpandedMax; ++i) {
    const std::string name(tokens[i].text);
    const auto& definitions = find(name);
    const bool has_arguments = token_is(tokens, i + 1, "(");
    const auto usable = [&](const Macro& macro) { return !macro.takes_arguments || has_arguments; };
    if (active.contains(name) || std::none_of(definitions.begin(), definitions.end(), usable)) {
      out += name + ' ';
      continue;
    }
    active.insert(name);
    size_t last = i;
    for (const Macro& macro : definitions) {
      if (!usable(macro)) continue;
      const size_t close = macro.takes_arguments ? std::min(closing(tokens, i + 1), tokens.size() - 1) : i;
      last = std::max(last, close);
      const auto given = macro.takes_arguments ? arguments(tokens, i + 1, close) : std::vector<std::string>{};
      append_expanded(substituted(macro, given), active, out);
    }
    active.erase(name);
    i = last;
  }
}

std::string Macros::expanded(std::string_view code) const {
  std::string out;
  std::set<std::string> active;
  append_expanded(code, active, out);
  return out;
}

std::set<std::string> Macros::words_of(std::string_view code) const {
  std::set<std::string> words;
  const auto add = [&](std::string_view text, bool macros) {
    const Tokens tokens = tokens_of(text);
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].is_word()) continue;
      const bool member =
          i > 0 && (tokens[i - 1].text == "." || (i > 1 && tokens[i - 1].text == ">" && tokens[i - 2].text == "-"));
      if (!member || (macros && !find(tokens[i].text).empty())) words.emplace(tokens[i].text);
    }
  };
  add(code, true);
  add(expanded(code), false);
  return words;
}

}  // namespace assay
