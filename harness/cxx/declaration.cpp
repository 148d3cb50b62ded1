// Walking over a declaration, word by word and bracket by bracket.
#include "harness/cxx/declaration.h"

#include <algorithm>

namespace assay::cxx {
namespace {

// Words with brackets behind them that are no parameters.
bool takes_brackets(std::string_view word) {
  return is_one_of(word, {"__attribute__", "__attribute", "alignas", "decltype", "__declspec", "noexcept", "explicit",
                          "__typeof__", "typeof", "requires", "throw"});
}

bool is_type_word(std::string_view word) {
  return is_one_of(word, {"void", "bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double",
                          "auto", "wchar_t", "size_t", "const", "volatile"});
}

bool belongs_to_a_type(std::string_view word) {
  return is_one_of(word, {"const", "volatile", "struct", "class", "enum", "union", "typename", "__restrict"});
}

class Walk {
 public:
  Walk(const std::vector<Token>& tokens, size_t at) : tokens_(tokens), at_(at) {}

  Declaration declaration() {
    if (at_ > 0 && is("]", at_ - 1)) {
      size_t i = at_;
      while (i < tokens_.size() && !is("(", i) && !is("{", i)) ++i;
      if (is("(", i)) function(i);
      if (is("{", i)) found_.body = i, found_.body_end = closing(tokens_, i);
      found_.kind = Declaration::Kind::lambda;
      return found_;
    }
    size_t begin = at_;
    while (begin > 0 && !is_one_of(tokens_[begin - 1].text, {";", "{", "}"})) --begin;
    for (size_t i = begin; i < at_; ++i) found_.specifiers.push_back(tokens_[i].text);
    declarator(at_);
    return found_;
  }

 private:
  bool is(std::string_view text, size_t i) const { return token_is(tokens_, i, text); }
  // Behind what the bracket at `open` closes; the end of the text where nothing does.
  size_t behind(size_t open) const { return std::min(closing(tokens_, open) + 1, tokens_.size()); }

  void declarator(size_t i) {
    for (; i < tokens_.size(); ++i) {
      const std::string_view word = tokens_[i].text;
      if (takes_brackets(word) && is("(", i + 1)) {
        found_.specifiers.push_back(word);
        i = behind(i + 1) - 1;
      } else if (word == "operator") {
        found_.name = word;
        ++i;
        if (is("(", i)) ++i;  // operator()
        while (i + 1 < tokens_.size() && !is("(", i + 1)) ++i;
        return function(i + 1);
      } else if (tokens_[i].is_word()) {
        found_.specifiers.push_back(word);
        found_.name = word;
        name_at_ = i;
      } else if (word == "<") {
        i = behind(i) - 1;
      } else if (word == "[" && is("[", i + 1)) {
        i = behind(i) - 1;                                             // an attribute
      } else if (word == "(" && (is("*", i + 1) || is("&", i + 1))) {  // float (*table[4])(float)
        for (name_at_ = i + 1; !tokens_[name_at_].is_word() && name_at_ + 1 < tokens_.size();) ++name_at_;
        return variables(behind(i));
      } else if (word == "(") {
        return function(i);
      } else if (is_one_of(word, {";", "=", "[", "{", ",", ")"})) {
        return variables(i);
      } else if (!is_one_of(word, {"*", "&", "::", "~"})) {
        return;
      }
    }
  }

  void variables(size_t i) {
    if (name_at_ == 0) return;
    found_.kind = Declaration::Kind::variables;
    found_.variables.push_back(tokens_[name_at_]);
    for (; i < tokens_.size() && !is(";", i) && !is(")", i); ++i) {
      if (is_one_of(tokens_[i].text, {"(", "[", "{"})) i = behind(i) - 1;
      if (is(",", i) && i + 1 < tokens_.size()) {
        while (is("*", i + 1)) ++i;
        if (tokens_[i + 1].is_word()) found_.variables.push_back(tokens_[i + 1]);
      }
    }
    found_.end = i;
  }

  void function(size_t open) {
    found_.kind = Declaration::Kind::function;
    const size_t close = closing(tokens_, open);
    for (const auto& part : split_at_commas(tokens_, open + 1, close))
      if (!part.empty() && !(part.size() == 1 && part[0].text == "void")) found_.parameters.push_back(parameter(part));
    size_t i = close + 1;
    while (i < tokens_.size() && !is_one_of(tokens_[i].text, {";", "{", "=", ":"}))
      i = is_one_of(tokens_[i].text, {"(", "["}) ? behind(i) : i + 1;
    while (is(":", i) || is(",", i)) {  // members of a constructor
      while (i < tokens_.size() && !is_one_of(tokens_[i].text, {"(", "{", ";"})) ++i;
      if (i < tokens_.size() && !is(";", i)) i = behind(i);
      while (is(".", i)) ++i;
    }
    if (!is("{", i) || closing(tokens_, i) == tokens_.size()) return;
    found_.body = i;
    found_.body_end = closing(tokens_, i);
  }

  static Parameter parameter(const std::vector<Token>& tokens) {
    Parameter found;
    size_t end = 0;  // of the declarator, where a default value begins
    while (end < tokens.size() && tokens[end].text != "=") ++end;
    found.is_pack = std::any_of(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(end),
                                [](const Token& token) { return token.text == "."; });
    for (size_t i = 0; i + 1 < end; ++i)  // int (*combine)(int, int)
      if (tokens[i].text == "(" && is_one_of(tokens[i + 1].text, {"*", "&"}))
        for (size_t j = i + 1; j < end && tokens[j].text != ")"; ++j)
          if (tokens[j].is_word()) return {std::string(tokens[j].text), 0, found.is_pack};
    while (end > 1 && tokens[end - 1].text == "]") {  // float x[16]
      while (end > 1 && tokens[end - 1].text != "[") --end;
      --end;
    }
    const Token& last = tokens[end - 1];
    found.name_goes = last.at + last.text.size();
    const bool is_behind_a_type = end > 1 && tokens[end - 2].text != "::";
    bool has_type = false;
    for (size_t i = 0; i + 1 < end; ++i) has_type = has_type || !belongs_to_a_type(tokens[i].text);
    const bool is_elaborated = end > 1 && is_one_of(tokens[end - 2].text, {"struct", "class", "enum", "typename"});
    if (last.is_word() && is_behind_a_type && has_type && !is_elaborated && !is_type_word(last.text) &&
        last.text != "__restrict")
      found.name = last.text;
    return found;
  }

  const std::vector<Token>& tokens_;
  size_t at_, name_at_ = 0;
  Declaration found_;
};

}  // namespace

bool Declaration::has(std::string_view word) const { return std::ranges::find(specifiers, word) != specifiers.end(); }

Declaration declaration_at(const std::vector<Token>& tokens, size_t at) { return Walk(tokens, at).declaration(); }

}  // namespace assay::cxx
