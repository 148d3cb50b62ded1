// Descends through sums, products and brackets.
#include "harness/adapter/read/arithmetic.h"

#include <algorithm>
#include <string>

#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

using Number = std::optional<int64_t>;
constexpr int kBracketsDeepMax = 32;  // of brackets
constexpr size_t kDigitsMax = 9;      // of a number
constexpr size_t kTokensMax = 200;    // of a text: no product of so many fits

class Arithmetic {
 public:
  explicit Arithmetic(std::string_view text) : tokens_(tokens_of(text)) {}

  Number value() {
    if (tokens_.size() > kTokensMax) return std::nullopt;
    const Number all = sum(0);
    return at_ == tokens_.size() ? all : std::nullopt;
  }

 private:
  bool skip(std::string_view text) {
    const bool is_it = token_is(tokens_, at_, text);
    at_ += is_it;
    return is_it;
  }

  Number sum(int depth) {
    Number left = product(depth);
    while (left) {
      const bool plus = skip("+");
      if (!plus && !skip("-")) break;
      const Number right = product(depth);
      int64_t result = 0;
      const bool overflows = right && (plus ? __builtin_add_overflow(*left, *right, &result)
                                            : __builtin_sub_overflow(*left, *right, &result));
      left = right && !overflows ? Number(result) : std::nullopt;
    }
    return left;
  }

  Number product(int depth) {
    Number left = atom(depth);
    while (left) {
      const bool times = skip("*");
      if (!times && !skip("/")) break;
      const Number right = atom(depth);
      int64_t result = 0;
      if (!right || (times ? __builtin_mul_overflow(*left, *right, &result) : *right == 0)) return std::nullopt;
      left = times ? result : *left / *right;
    }
    return left;
  }

  Number atom(int depth) {
    if (skip("(")) {
      const Number inner = depth < kBracketsDeepMax ? sum(depth + 1) : std::nullopt;
      return skip(")") ? inner : std::nullopt;
    }
    if (at_ >= tokens_.size()) return std::nullopt;
    const std::string text(tokens_[at_].text);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.size() > kDigitsMax || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
    ++at_;
    return std::stoll(text);
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace

std::optional<int64_t> number_value(std::string_view text) { return Arithmetic(text).value(); }

bool is_rounded_up(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  return has("ceil_div(") || (has(" + ") && has(" / "));
}

}  // namespace assay
