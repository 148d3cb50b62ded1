// Finding functions among the tokens of a CUDA file: a bracketed list after a name, with braces behind it.
#include "harness/adapter/function_source.h"

#include <algorithm>

namespace assay {
namespace {

using Tokens = std::vector<Token>;

// Words for how a parameter is held, not for what it is.
bool is_qualifier(std::string_view word) {
  return is_one_of(word, {"const", "volatile", "restrict", "__restrict", "__restrict__", "__grid_constant__",
                          "register", "struct", "enum", "typename"});
}

bool is_builtin_type(std::string_view word) {
  return is_one_of(word, {"void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned"});
}

// Everything before a default value.
Tokens without_default(const Tokens& part) {
  const auto equals = std::find_if(part.begin(), part.end(), [](const Token& t) { return t.text == "="; });
  return {part.begin(), equals};
}

// Takes "[N]" and "[]" off the end; true when there was one.
bool take_extents(Tokens& part) {
  const auto open = std::find_if(part.begin(), part.end(), [](const Token& t) { return t.text == "["; });
  const bool array = open != part.end() && open != part.begin();
  if (array) part.erase(open, part.end());
  return array;
}

// Takes the name off the end of a parameter, if it has one: a word that is not the type itself.
std::string take_name(Tokens& part) {
  if (part.empty() || !part.back().is_word() || is_builtin_type(part.back().text) || is_qualifier(part.back().text))
    return "";
  const bool says_type =
      std::any_of(part.begin(), part.end() - 1, [](const Token& t) { return t.is_word() && !is_qualifier(t.text); });
  if (!says_type || part[part.size() - 2].text == "::") return "";
  std::string name(part.back().text);
  part.pop_back();
  return name;
}

Parameter read_parameter(const Tokens& spelling) {
  Tokens part = without_default(spelling);
  Parameter parameter;
  parameter.line = spelling.empty() ? 0 : spelling.front().line;
  parameter.is_pointer = take_extents(part);
  parameter.name = take_name(part);
  // A const before the last star is of what the pointer points to, one behind it is the pointer's own.
  const auto star = std::find_if(part.rbegin(), part.rend(), [](const Token& t) { return t.text == "*"; });
  const auto last_star = star == part.rend() ? part.end() : std::prev(star.base());
  const bool pointed = last_star != part.end() || parameter.is_pointer;
  parameter.is_const =
      pointed && std::any_of(part.begin(), last_star, [](const Token& t) { return t.text == "const"; });
  Tokens type(part.begin(), last_star);
  std::erase_if(type, [](const Token& t) { return is_qualifier(t.text); });
  parameter.type = spelled(type);
  for (size_t at; (at = parameter.type.find(" *")) != std::string::npos;) parameter.type.erase(at, 1);
  parameter.is_pointer = pointed;
  return parameter;
}

class FunctionReader {
 public:
  explicit FunctionReader(std::string_view code) : code_(code), tokens_(tokens_of(code)) {}

  std::vector<FunctionSource> read() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view text = tokens_[i].text;
      if (text == "template" && token_is(tokens_, i + 1, "<")) {
        template_open_ = i + 1;
        i = end_of_template_head(tokens_, i + 1);
        begin_ = i + 1;
      } else if (text == "{") {
        i = open(i);
      } else if (text == "}" || text == ";") {
        if (text == "}" && !scopes_.empty()) scopes_.pop_back();
        next_declaration(i + 1);
      }
    }
    return std::move(functions_);
  }

 private:
  struct Scope {
    std::string name;
    bool is_class;
  };

  void next_declaration(size_t begin) {
    begin_ = begin;
    template_open_ = 0;
  }

  // The brace at `i`: of a function, which is read as a whole; of a namespace or class, which is gone into; or of
  // something else, which is passed over. The token to go on from.
  size_t open(size_t i) {
    const Tokens head(tokens_.begin() + static_cast<std::ptrdiff_t>(begin_),
                      tokens_.begin() + static_cast<std::ptrdiff_t>(i));
    const auto has = [&](std::string_view word) {
      return std::any_of(head.begin(), head.end(), [&](const Token& t) { return t.text == word; });
    };
    const size_t bracket = parameters_of(i);
    const size_t close = std::min(closing(tokens_, i), tokens_.size() - 1);
    const bool linkage = has("extern") && !head.empty() && head.back().text.starts_with('"');
    if (bracket < i && !has("__global__")) keep(bracket, i, close);
    if (bracket == i && (linkage || is_one_of(first_word(), {"namespace", "struct", "class", "inline"}))) {
      scopes_.push_back({head.back().is_word() && !linkage && has("namespace") ? name_of_namespace() : "",
                         has("struct") || has("class")});
      next_declaration(i + 1);
      return i;
    }
    if (bracket < i) next_declaration(close + 1);
    return close;
  }

  std::string_view first_word() const { return begin_ < tokens_.size() ? tokens_[begin_].text : std::string_view(); }

  std::string name_of_namespace() const {
    std::string name;
    for (size_t i = begin_; i < tokens_.size() && !token_is(tokens_, i, "{"); ++i)
      if (!is_one_of(tokens_[i].text, {"namespace", "inline"})) name += tokens_[i].text;
    return name;
  }

  // The ( of the parameters of the function whose body begins at `brace`; `brace` when it is no function's.
  size_t parameters_of(size_t brace) const {
    for (size_t i = begin_; i < brace; ++i) {
      if (token_is(tokens_, i, "=")) return brace;  // a variable and its initialiser
      if (!token_is(tokens_, i, "(") || i == begin_ || !tokens_[i - 1].is_word()) continue;
      const bool attribute = is_one_of(
          tokens_[i - 1].text, {"__launch_bounds__", "__attribute__", "__align__", "alignas", "decltype", "noexcept"});
      if (!attribute) return i;
      i = closing(tokens_, i);
    }
    return brace;
  }

  void keep(size_t bracket, size_t brace, size_t close) {
    FunctionSource function;
    const Token& name = tokens_[bracket - 1];
    function.name = name.text;
    for (const Scope& scope : scopes_) {
      if (!scope.name.empty()) function.qualified_name += scope.name + "::";
      function.is_member |= scope.is_class;
    }
    function.qualified_name += function.name;
    function.line = name.line;
    Tokens result(tokens_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  tokens_.begin() + static_cast<std::ptrdiff_t>(bracket) - 1);
    function.is_device =
        std::any_of(result.begin(), result.end(), [](const Token& t) { return t.text == "__device__"; });
    std::erase_if(result, [](const Token& t) {
      return t.text.starts_with("__") || t.text.starts_with('"') ||
             is_one_of(t.text, {"static", "inline", "extern", "constexpr"});
    });
    function.result = spelled(result);
    function.parameters = read_parameters(tokens_, bracket, closing(tokens_, bracket));
    if (function.parameters.size() > kParametersMax) return;
    if (template_open_ > 0) read_template_head(tokens_, template_open_, function);
    function.begin = tokens_[brace].at + 1;
    function.end = tokens_[close].at;
    function.body = code_.substr(function.begin, function.end - function.begin);
    functions_.push_back(std::move(function));
  }

  std::string_view code_;
  Tokens tokens_;
  size_t begin_ = 0;          // of the declaration that is being read, behind its template head
  size_t template_open_ = 0;  // the < of that head; 0: none
  std::vector<Scope> scopes_;
  std::vector<FunctionSource> functions_;
};

}  // namespace

std::vector<Parameter> read_parameters(const Tokens& tokens, size_t open, size_t close) {
  std::vector<Parameter> parameters;
  const auto parts = split_at_commas(tokens, open + 1, close);
  if (parts.size() == 1 && parts[0].size() == 1 && parts[0][0].text == "void") return parameters;
  for (const Tokens& part : parts) parameters.push_back(read_parameter(part));
  return parameters;
}

size_t end_of_template_head(const Tokens& tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    if (token_is(tokens, i, "(") || token_is(tokens, i, "{")) i = std::min(closing(tokens, i), tokens.size() - 1);
    if (token_is(tokens, i, "<")) ++depth;
    if (token_is(tokens, i, ">") && --depth == 0) return i;
  }
  return tokens.size();
}

namespace {

// The name in "float (*op)(float)"; the size where there is none.
size_t pointer_name_at(const Tokens& declared) {
  for (size_t i = 1; i + 3 < declared.size(); ++i)
    if (token_is(declared, i, "(") && is_one_of(declared[i + 1].text, {"*", "&"}) && declared[i + 2].is_word() &&
        token_is(declared, i + 3, ")"))
      return i + 2;
  return declared.size();
}

}  // namespace

void read_template_head(const Tokens& tokens, size_t open, KernelSource& kernel) {
  for (const Tokens& part : split_at_commas(tokens, open + 1, end_of_template_head(tokens, open))) {
    Tokens declared = without_default(part);
    const size_t function = pointer_name_at(declared);
    const bool is_function = function < declared.size();
    if (!is_function && (declared.size() < 2 || !declared.back().is_word())) continue;  // nothing can refer to it
    const bool has_default = declared.size() < part.size();
    kernel.template_parameters.emplace_back(is_function ? declared[function].text : declared.back().text);
    kernel.template_kinds.emplace_back(is_function                        ? "function"
                                       : declared.front().text == "const" ? declared[1].text
                                                                          : declared.front().text);
    kernel.template_defaults.push_back(
        has_default ? spelled({part.begin() + static_cast<std::ptrdiff_t>(declared.size()) + 1, part.end()}) : "");
  }
}

std::vector<FunctionSource> functions_of(std::string_view code) { return FunctionReader(code).read(); }

}  // namespace assay
