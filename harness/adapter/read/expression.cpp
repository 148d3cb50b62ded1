// Rewriting expressions token by token.
#include "harness/adapter/read/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "harness/base/scanner.h"
#include "harness/tensor/dtype.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;

Tokens part(const Tokens& tokens, size_t begin, size_t end) {
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.begin() + static_cast<std::ptrdiff_t>(end)};
}

bool rounds_up(std::string_view word) {
  std::string plain;
  for (const char c : word)
    if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return is_one_of(plain, {"ceildiv", "cdiv", "divup", "divceil", "divroundup", "ceildivide", "idivup"});
}

bool is_number_type(std::string_view word) {
  return is_one_of(word, {"int", "unsigned", "long", "short", "size_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
                          "float", "double", "uint", "const"});
}

std::optional<std::string> size_of_type(const Tokens& type, const Names& names) {
  const std::string text = spelled(type);
  const auto named = names.find("sizeof " + text);
  if (named != names.end()) return named->second;
  if (is_one_of(text, {"float", "int", "unsigned", "unsigned int", "int32_t", "uint32_t"})) return "4";
  if (is_one_of(text, {"half", "__half", "nv_bfloat16", "__nv_bfloat16", "short"})) return "2";
  if (is_one_of(text, {"double", "float2", "int64_t", "uint64_t", "size_t", "long long"})) return "8";
  if (text == "float4") return "16";
  if (is_one_of(text, {"char", "bool", "uint8_t", "unsigned char"})) return "1";
  return std::nullopt;
}

bool is_atom(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; });
}

// Brackets around something that is whole without them: "(rows)", "ceil_div(a, b)" in another expression.
bool is_call_or_bracketed(const std::string& text) {
  const size_t open = text.find('(');
  if (open == std::string::npos || text.back() != ')' || !is_atom(text.substr(0, open))) return false;
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

std::string without_brackets(std::string text) {
  while (text.starts_with('(') && is_call_or_bracketed(text)) text = text.substr(1, text.size() - 2);
  return text;
}

// (a + b - 1) / b is ceil_div(a, b).
std::string with_ceil_div(const std::string& text) {
  size_t divisor = text.size();
  while (divisor > 0 && is_word_char(text[divisor - 1])) --divisor;
  const std::string by = text.substr(divisor), end = " + " + by + " - 1) / " + by;
  if (by.empty() || text.front() != '(' || !text.ends_with(end) || text.size() <= 1 + end.size()) return text;
  return "ceil_div(" + without_brackets(text.substr(1, text.size() - end.size() - 1)) + ", " + by + ")";
}

class Rewriter {
 public:
  explicit Rewriter(const Names& names) : names_(names) {}

  Result<std::string> rewrite(const Tokens& tokens) const {
    std::string out;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (const size_t end = end_of_cast(tokens, i); end > i) {
        i = end - 1;
        continue;
      }
      if (!tokens[i].is_word()) {
        punctuation(tokens, i, out);
        continue;
      }
      auto text = word(tokens, i);
      if (!text) return text;
      out += *text;
    }
    return with_ceil_div(out);
  }

 private:
  // "(int)", "static_cast<int>", "int" before a bracket, "std::": past them; `i` itself when there is none.
  static size_t end_of_cast(const Tokens& tokens, size_t i) {
    if (token_is(tokens, i, "std") && token_is(tokens, i + 1, "::")) return i + 2;
    if (token_is(tokens, i, "static_cast") && token_is(tokens, i + 1, "<")) return closing(tokens, i + 1) + 1;
    const bool bracketed = token_is(tokens, i, "(");
    size_t end = bracketed ? i + 1 : i;
    const size_t begin = end;
    while (end < tokens.size() && is_number_type(tokens[end].text)) ++end;
    if (end == begin) return i;
    if (!bracketed) return token_is(tokens, end, "(") ? end : i;
    return token_is(tokens, end, ")") && (i == 0 || tokens[i - 1].text != "sizeof") ? end + 1 : i;
  }

  static void punctuation(const Tokens& tokens, size_t i, std::string& out) {
    const std::string_view text = tokens[i].text;
    const bool after_value = !out.empty() && out.back() != '(' && out.back() != ' ';
    const bool compares = is_one_of(text, {"<", ">", "!", "="}) && token_is(tokens, i + 1, "=");
    const bool ends_comparison = text == "=" && i > 0 && is_one_of(tokens[i - 1].text, {"<", ">", "!"});
    if (text == ",")
      out += ", ";
    else if (after_value && (compares || is_one_of(text, {"+", "-", "*", "/", "%", "?", ":", "<", ">", "&", "|", "="})))
      out += compares || token_is(tokens, i + 1, text)          ? " " + std::string(text)
             : ends_comparison || token_is(tokens, i - 1, text) ? std::string(text) + " "
                                                                : " " + std::string(text) + " ";
    else
      out += text;
  }

  Result<std::string> word(const Tokens& tokens, size_t& i) const {
    const std::string name(tokens[i].text);
    const bool member = token_is(tokens, i + 1, ".") || token_is(tokens, i + 1, "::") || token_is(tokens, i - 1, ".");
    if (member || (token_is(tokens, i + 1, "-") && token_is(tokens, i + 2, ">"))) return fail(name);
    if (name == "sizeof" && token_is(tokens, i + 1, "(")) {
      const size_t close = closing(tokens, i + 1);
      const auto bytes = size_of_type(part(tokens, i + 2, close), names_);
      if (!bytes) return fail("sizeof(" + spelled(part(tokens, i + 2, close)) + ")");
      i = close;
      return *bytes;
    }
    if (is_one_of(name, {"min", "max"}) && token_is(tokens, i + 1, "<"))
      if (const size_t close = closing(tokens, i + 1); token_is(tokens, close + 1, "(")) {  // min<size_t>(a, b)
        i = close;
        return name;
      }
    if (token_is(tokens, i + 1, "(")) {
      const size_t arguments = split_at_commas(tokens, i + 2, std::min(closing(tokens, i + 1), tokens.size())).size();
      if (rounds_up(name) || (arguments == 2 && is_one_of(name, {"CEIL", "ceil", "Ceil"}))) return "ceil_div";
      if (is_one_of(name, {"min", "max", "sqrtf", "ceil_div"})) return name;
      return fail(name);
    }
    if (token_is(tokens, i + 1, "[") && !names_.contains(name)) return element(tokens, i);
    const auto known = names_.find(name);
    if (known == names_.end() || known->second.empty()) return fail(name);
    return alone(known->second, is_between_commas(tokens, i) ? 1 : tokens.size());
  }

  // sizes[2], of an array that means nothing by itself
  Result<std::string> element(const Tokens& tokens, size_t& i) const {
    const size_t close = std::min(closing(tokens, i + 1), tokens.size());
    const std::string text = fmt::format("{}[{}]", tokens[i].text, spelled(part(tokens, i + 2, close)));
    const auto known = names_.find(text);
    if (known == names_.end() || known->second.empty()) return fail(text);
    i = close;
    return alone(known->second, tokens.size());
  }

  // An argument of a call, or what is in brackets already: it needs none of its own.
  static bool is_between_commas(const Tokens& tokens, size_t i) {
    return i > 0 && is_one_of(tokens[i - 1].text, {"(", ","}) && i + 1 < tokens.size() &&
           is_one_of(tokens[i + 1].text, {")", ","});
  }

  // Brackets where the expression is part of another.
  static std::string alone(const std::string& text, size_t neighbours) {
    return neighbours == 1 || is_atom(text) || is_call_or_bracketed(text) ? text : "(" + text + ")";
  }

  const Names& names_;
};

}  // namespace

Result<std::string> resolved(const std::vector<Token>& expression, const Names& names) {
  auto text = Rewriter(names).rewrite(expression);
  return text ? Result<std::string>(without_brackets(*text)) : text;
}

Names constants_of(const CudaSource& source) {
  Names names;
  for (const auto& [name, value] : source.constants)
    if (const auto text = resolved(tokens_of(value), names)) names[name] = *text;
  return names;
}

}  // namespace assay
