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
constexpr int kDepthMax = 8;  // of definitions in definitions; more than that is a circle
constexpr size_t kTokensOfAnExpressionMax = 10'000,
                 kDefinitionsMax = 200;  // that one expression stands on: definitions multiply

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
  explicit Rewriter(const Scope& scope) : scope_(scope) {}

  Result<std::string> rewrite(const Tokens& tokens, int depth) {
    std::string out;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (depth > 0 && ++read_ > kTokensOfAnExpressionMax) return fail(std::string(tokens[i].text));
      if (const size_t end = end_of_cast(tokens, i); end > i) {
        i = end - 1;
        continue;
      }
      if (!tokens[i].is_word()) {
        punctuation(tokens, i, out);
        continue;
      }
      auto text = word(tokens, i, depth);
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

  Result<std::string> word(const Tokens& tokens, size_t& i, int depth) {
    const std::string name(tokens[i].text);
    const bool member = token_is(tokens, i + 1, ".") || token_is(tokens, i + 1, "::") || token_is(tokens, i - 1, ".");
    if (member || (token_is(tokens, i + 1, "-") && token_is(tokens, i + 2, ">"))) return fail(name);
    if (name == "sizeof" && token_is(tokens, i + 1, "(")) {
      const size_t close = closing(tokens, i + 1);
      const auto bytes = size_of_type(part(tokens, i + 2, close), scope_.names);
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
    if (token_is(tokens, i + 1, "[") && !scope_.names.contains(name)) return element(tokens, i);
    const auto known = scope_.names.find(name);
    if (known != scope_.names.end() && known->second.empty()) return fail(name);
    const size_t neighbours = is_between_commas(tokens, i) ? 1 : tokens.size();
    if (known != scope_.names.end()) return alone(known->second, neighbours);
    if (depth == kDepthMax || ++looked_up_ > kDefinitionsMax) return fail(name);
    const Tokens defined = definition(scope_.text, name);
    if (defined.empty()) return fail(name);
    const auto text = rewrite(defined, depth + 1);
    return text ? Result<std::string>(alone(*text, neighbours)) : text;
  }

  // sizes[2], of an array that means nothing by itself
  Result<std::string> element(const Tokens& tokens, size_t& i) const {
    const size_t close = std::min(closing(tokens, i + 1), tokens.size());
    const std::string text = fmt::format("{}[{}]", tokens[i].text, spelled(part(tokens, i + 2, close)));
    const auto known = scope_.names.find(text);
    if (known == scope_.names.end() || known->second.empty()) return fail(text);
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

  const Scope& scope_;
  size_t read_ = 0, looked_up_ = 0;
};

}  // namespace

namespace {

// Whether token i changes the variable that it names, or lets something else do so: n = …, n += …, n++, &n.
bool is_changed_at(const Tokens& tokens, size_t i) {
  const size_t member = token_is(tokens, i + 1, ".") ? 2 : 0;
  const bool assigned = token_is(tokens, i + member + 1, "=") && !token_is(tokens, i + member + 2, "=");
  const auto twice = [&](size_t at, std::string_view sign) {
    return token_is(tokens, at, sign) && token_is(tokens, at + 1, sign);
  };
  const bool combined = i + 2 < tokens.size() && tokens[i + 2].text == "=" &&
                        is_one_of(tokens[i + 1].text, {"+", "-", "*", "/", "%", "&", "|", "^"});
  const bool shifted = (twice(i + 1, "<") || twice(i + 1, ">")) && token_is(tokens, i + 3, "=");
  const bool counted = twice(i + 1, "+") || twice(i + 1, "-") || (i > 1 && (twice(i - 2, "+") || twice(i - 2, "-")));
  const bool taken = i > 1 && token_is(tokens, i - 1, "&") && is_one_of(tokens[i - 2].text, {"(", ",", "="});
  return assigned || combined || shifted || counted || taken;
}

// The end of the value that begins at token i: the comma or semicolon behind it.
size_t end_of_value(const Tokens& tokens, size_t i) {
  while (i < tokens.size() && !token_is(tokens, i, ";") && !token_is(tokens, i, ",")) {
    if (token_is(tokens, i, "(") || token_is(tokens, i, "{") || token_is(tokens, i, "[")) i = closing(tokens, i);
    if (i < tokens.size()) ++i;
  }
  return std::min(i, tokens.size());
}

}  // namespace

std::vector<Token> definition(const std::vector<Token>& tokens, std::string_view name) {
  Tokens value;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text != name) continue;
    const bool by_pointer = i > 1 && token_is(tokens, i - 1, ">") && token_is(tokens, i - 2, "-");
    if (i > 0 && (by_pointer || is_one_of(tokens[i - 1].text, {".", "::"}))) continue;  // a member of something else
    const bool constructed = i > 0 && is_one_of(tokens[i + 1 < tokens.size() ? i + 1 : i].text, {"(", "{"}) &&
                             is_number_type(tokens[i - 1].text);
    if (!constructed && !is_changed_at(tokens, i)) continue;
    const bool plain = token_is(tokens, i + 1, "=") && !token_is(tokens, i + 2, "=");
    if (!value.empty() || (!constructed && !plain)) return {};
    if (constructed) {
      value = part(tokens, i + 1, std::min(closing(tokens, i + 1) + 1, tokens.size()));
    } else {
      value = part(tokens, i + 2, end_of_value(tokens, i + 2));
    }
    if (value.empty()) return {};
  }
  return value;
}

Result<std::string> resolved(const std::vector<Token>& expression, const Scope& scope) {
  auto text = Rewriter(scope).rewrite(expression, 0);
  return text ? Result<std::string>(without_brackets(*text)) : text;
}

Names constants_of(const CudaSource& source) {
  Scope known;
  Names& names = known.names;
  for (const auto& [name, value] : source.constants) {
    const std::vector<Token> tokens = tokens_of(value);
    if (const auto text = resolved(tokens, known)) names[name] = *text;
  }
  return std::move(names);
}

}  // namespace assay
