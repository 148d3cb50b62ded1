// One rule for each kind of declaration: functions, types, variables and aliases.
#include "harness/adapter/slice/declared_names.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

using Tokens = std::vector<Token>;
using Texts = std::vector<std::string>;

template <size_t N>
bool is_among(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_keyword(std::string_view word) {
  static constexpr std::array<std::string_view, 30> kWords = {
      "void",  "bool",   "char",     "short",     "int",    "long",   "float",  "double",   "signed",    "unsigned",
      "const", "static", "volatile", "constexpr", "inline", "extern", "auto",   "typename", "template",  "typedef",
      "using", "struct", "class",    "union",     "enum",   "final",  "public", "private",  "protected", "register"};
  return is_among(word, kWords);
}

// The word at `last`, where a name ends, and the classes before its ::, past their template arguments.
void add_qualified(const Tokens& tokens, size_t last, Texts& names) {
  for (size_t i = last;;) {
    if (token_is(tokens, i, ">")) {
      int depth = 0;
      for (; i > 0; --i) {
        if (token_is(tokens, i, ">")) ++depth;
        if (token_is(tokens, i, "<") && --depth == 0) break;
      }
      if (i == 0) return;
      --i;
    }
    if (!tokens[i].is_word()) return;
    names.emplace_back(tokens[i].text);
    if (i < 2 || !token_is(tokens, i - 1, "::")) return;
    i -= 2;
  }
}

void add_function(const Tokens& tokens, const Head& head, const Macros& macros, Texts& names) {
  const size_t close = closing(tokens, head.group);
  const bool spelled_by_macro = token_is(tokens, close + 1, "(");  // NAME(scan)(const float* x)
  const bool is_pointer = head.group == head.first || token_is(tokens, head.group + 1, "*");
  if (!spelled_by_macro && !is_pointer && !is_keyword(tokens[head.group - 1].text))
    return add_qualified(tokens, head.group - 1, names);
  const Tokens part(tokens.begin() + static_cast<std::ptrdiff_t>(head.group) - (head.group > head.first ? 1 : 0),
                    tokens.begin() + static_cast<std::ptrdiff_t>(std::min(close + 1, tokens.size())));
  for (const std::string& word : macros.words_of(spelled(part)))
    if (!is_keyword(word)) names.push_back(word);
}

void add_type(const Tokens& tokens, const Head& head, Texts& names) {
  size_t i = head.class_key + 1;
  size_t name = 0;
  for (; i < head.end; ++i) {
    if (token_is(tokens, i, "(") || token_is(tokens, i, "[")) {
      i = std::min(closing(tokens, i), head.end);
    } else if (tokens[i].is_word() && !is_keyword(tokens[i].text) && !is_annotation_word(tokens[i].text)) {
      name = i;
    } else if (!tokens[i].is_word() && tokens[i].text != "::") {
      break;
    }
  }
  if (name > 0) add_qualified(tokens, name, names);
  if (head.body == 0) return;
  const size_t close = std::min(closing(tokens, head.body), head.end);
  if (token_is(tokens, head.class_key, "enum"))
    for (i = head.body + 1; i < close; ++i)
      if (tokens[i].is_word() && (i == head.body + 1 || token_is(tokens, i - 1, ",")))
        names.emplace_back(tokens[i].text);
  for (i = close; i < head.end; ++i)
    if (tokens[i].is_word() && !is_keyword(tokens[i].text)) names.emplace_back(tokens[i].text);
}

// The last word before each =, [, {, comma and the end; initialisers are passed over.
void add_variables(const Tokens& tokens, const Head& head, Texts& names) {
  bool in_value = false;
  const auto add_before = [&](size_t i) {
    if (!in_value && i > head.first && tokens[i - 1].is_word() && !is_keyword(tokens[i - 1].text))
      names.emplace_back(tokens[i - 1].text);
  };
  for (size_t i = head.first; i < head.end; ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "=" || text == "[" || text == "{" || text == "," || text == ";" || text == "(") add_before(i);
    if (text == "=") in_value = true;
    if (text == ",") in_value = false;
    const bool list = text == "<" && i > 0 && tokens[i - 1].is_word();
    if (text == "(" || text == "[" || text == "{" || list)
      if (const size_t close = closing(tokens, i); close < head.end) i = close;
  }
}

}  // namespace

bool is_class_key(std::string_view word) {
  static constexpr std::array<std::string_view, 4> kKeys = {"struct", "class", "union", "enum"};
  return is_among(word, kKeys);
}

bool is_annotation_word(std::string_view word) {
  static constexpr std::array<std::string_view, 10> kWords = {
      "alignas",           "__align__",        "__builtin_align__", "__attribute__", "__declspec",
      "__launch_bounds__", "__cluster_dims__", "__maxnreg__",       "decltype",      "explicit"};
  return is_among(word, kWords);
}

size_t past_template_head(const Tokens& tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    if (token_is(tokens, i, "(") || token_is(tokens, i, "{")) i = std::min(closing(tokens, i), tokens.size() - 1);
    if (token_is(tokens, i, "<")) ++depth;
    if (token_is(tokens, i, ">") && --depth == 0) return i + 1;
  }
  return tokens.size();
}

Texts declared_names(const Tokens& tokens, const Head& head, const Macros& macros) {
  Texts names;
  if (head.group > 0) {
    add_function(tokens, head, macros, names);
  } else {
    if (head.class_key > 0 || is_class_key(tokens[head.first].text)) add_type(tokens, head, names);
    if (head.body == 0 || !token_is(tokens, head.body, "{") || head.class_key == 0) add_variables(tokens, head, names);
  }
  return names;
}

}  // namespace assay
