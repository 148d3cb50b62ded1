// Quotients by their last two tokens.
#include "harness/adapter/bind/quotients.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/cuda_text.h"

namespace assay {

std::optional<Quotient> quotient_of(const std::string& expression) {
  const std::vector<Token> tokens = tokens_of(expression);
  if (tokens.size() < 3 || !token_is(tokens, tokens.size() - 2, "/") || !number_value(tokens.back().text))
    return std::nullopt;
  const std::string whole = expression.substr(0, tokens[tokens.size() - 2].at);
  std::string size = whole.substr(0, whole.find_last_not_of(' ') + 1);
  if (size.starts_with('(') && closing(tokens_of(size), 0) + 1 == tokens_of(size).size())
    size = size.substr(1, size.size() - 2);
  return Quotient{whole, size, std::string(tokens.back().text)};
}

bool is_guarded(const std::string& size, const std::set<std::string>& guarded) {
  std::set<std::string, std::less<>> words;
  for (const std::string& each : guarded)
    for (const Token& token : tokens_of(each)) words.emplace(token.text);
  return std::ranges::all_of(tokens_of(size), [&](const Token& token) {
    return token.text == "*" || number_value(token.text) || words.contains(token.text);
  });
}

std::vector<std::string> whole_parts_of(const std::vector<std::string>& numbers, const std::set<std::string>& guarded) {
  std::vector<std::string> all;
  for (const std::string& number : numbers) {
    const auto quotient = quotient_of(number);
    if (!quotient || is_guarded(quotient->size, guarded)) continue;
    const auto has = [&](const std::string& text) { return quotient->whole.find(text) != std::string::npos; };
    if (!has("+") && !has("-") && !has(quotient->divisor + "*"))
      all.push_back(fmt::format("{}% {} == 0", quotient->whole, quotient->divisor));
  }
  return all;
}

}  // namespace assay
