// Walking outwards from a launch: past the statements before it to the head of what encloses it, again and again.
#include "harness/adapter/launch_conditions.h"

#include <algorithm>

#include "harness/adapter/arithmetic.h"
#include "harness/adapter/launch_syntax.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;

// The bracket that the one at `close` closes; 0 where there is none, which no condition has.
size_t opening(const Tokens& tokens, size_t close) {
  int depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (is_one_of(tokens[i].text, {")", "]", "}"})) ++depth;
    if (is_one_of(tokens[i].text, {"(", "[", "{"}) && --depth == 0) return i;
  }
  return 0;
}

// The { around token i; 0 where there is none.
size_t enclosing(const Tokens& tokens, size_t i) {
  while (i-- > 0) {
    if (token_is(tokens, i, "{")) return i;
    if (token_is(tokens, i, "}")) i = opening(tokens, i);
  }
  return 0;
}

class Conditions {
 public:
  Conditions(const Tokens& tokens, const Names& constants) : tokens_(tokens), constants_(constants) {}

  // The values that the conditions around the statement at token i give.
  Names around(size_t i) {
    while (i > 0) {
      if (token_is(tokens_, i - 1, ")")) {
        i = head(i - 1);
        continue;
      }
      label_before(i);
      i = enclosing(tokens_, i);
    }
    return std::move(names_);
  }

 private:
  // `if (…)` or `switch (…)` that ends at `close`; what it is a statement of begins at the token returned.
  size_t head(size_t close) {
    const size_t open = opening(tokens_, close);
    if (open == 0) return 0;
    if (token_is(tokens_, open - 1, "if")) condition(open + 1, close);
    if (token_is(tokens_, open - 1, "switch") && close == open + 2) equal(tokens_[open + 1], label_);
    return open - 1;
  }

  // The nearest `case 128:` before token i, of the switch around it, unless another follows without a break.
  void label_before(size_t i) {
    label_ = {};
    const size_t begin = enclosing(tokens_, i);
    for (size_t at = i; at-- > begin + 1;) {
      if (token_is(tokens_, at, "}")) at = opening(tokens_, at);
      if (!token_is(tokens_, at, "case") && !token_is(tokens_, at, "default")) continue;
      if (token_is(tokens_, at + 2, ":") && !is_fallen_into(at)) label_ = tokens_[at + 1];
      return;
    }
  }

  // Whether what stands before the label at token i may run on into it.
  bool is_fallen_into(size_t i) const {
    if (token_is(tokens_, i - 1, "{")) return false;
    const size_t end = token_is(tokens_, i - 1, "}") ? i - 2 : i - 1;
    return !token_is(tokens_, end, ";") || !is_one_of(tokens_[end - 1].text, {"break", "return"});
  }

  // Parts of a conjunction that are `name == 128`.
  void condition(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      if (token_is(tokens_, i, "|")) return;
    for (size_t i = begin; i + 3 < end; ++i) {
      const bool begins = i == begin || token_is(tokens_, i - 1, "&");
      const bool ends = i + 4 == end || (i + 4 < end && token_is(tokens_, i + 4, "&"));
      if (!begins || !ends || !token_is(tokens_, i + 1, "=") || !token_is(tokens_, i + 2, "=")) continue;
      const bool name_first = tokens_[i].is_word() && !constants_.contains(std::string(tokens_[i].text));
      equal(tokens_[name_first ? i : i + 3], tokens_[name_first ? i + 3 : i]);
    }
  }

  void equal(const Token& name, const Token& number) {
    const auto constant = constants_.find(std::string(number.text));
    const std::string text = constant == constants_.end() ? std::string(number.text) : constant->second;
    if (name.is_word() && number_value(text)) names_.try_emplace(std::string(name.text), text);
  }

  const Tokens& tokens_;
  const Names& constants_;
  Token label_;
  Names names_;
};

}  // namespace

Names names_by_conditions(const std::string& body, size_t at, const Names& constants) {
  const Tokens tokens = tokens_of(body);
  const auto open = std::find_if(tokens.begin(), tokens.end(), [&](const Token& token) { return token.at == at; });
  if (open == tokens.end()) return {};
  const auto i = static_cast<size_t>(open - tokens.begin());
  return Conditions(tokens, constants).around(begin_of_callee(tokens, i));
}

}  // namespace assay
