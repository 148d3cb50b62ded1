// Looking for asm among the tokens, then for the #line above it.
#include "harness/adapter/read/inline_assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

bool is_assembly(const std::vector<Token>& tokens, size_t i) {
  const auto is_one_of = [&](size_t at, std::initializer_list<std::string_view> words) {
    return at < tokens.size() && std::find(words.begin(), words.end(), tokens[at].text) != words.end();
  };
  if (!is_one_of(i, {"asm", "__asm__", "__asm"})) return false;
  return token_is(tokens, is_one_of(i + 1, {"volatile", "__volatile__", "__volatile"}) ? i + 2 : i + 1, "(");
}

std::string place_of(std::string_view text, size_t at) {
  int line = 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  const size_t directive = text.rfind("\n#line ", at);
  const size_t begin = directive != std::string_view::npos ? directive + 1
                       : text.starts_with("#line ")        ? 0
                                                           : text.size();
  if (begin == text.size()) return fmt::format("line {}", line);
  const std::string_view words = text.substr(begin, text.find('\n', begin) - begin);
  const size_t digits = words.find_first_of("0123456789"), open = words.find('"');
  int first = 0;
  std::from_chars(words.data() + digits, words.data() + words.size(), first);
  line = first - 1 +
         static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                     text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  return fmt::format("{}:{}", words.substr(open + 1, words.rfind('"') - open - 1), line);
}

}  // namespace

std::optional<std::string> inline_assembly(std::string_view text) {
  const auto code = without_comments(text);
  if (!code) return std::nullopt;
  const std::vector<Token> tokens = tokens_of(*code);
  for (size_t i = 0; i < tokens.size(); ++i)
    if (is_assembly(tokens, i)) return place_of(text, tokens[i].at);
  return std::nullopt;
}

}  // namespace assay
