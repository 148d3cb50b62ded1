// Finding launches, and writing them as calls for a host compiler.
#include "harness/adapter/read/launch_syntax.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

bool three_in_a_row(const std::vector<Token>& tokens, size_t i, std::string_view text) {
  return token_is(tokens, i, text) && token_is(tokens, i + 1, text) && token_is(tokens, i + 2, text) &&
         tokens[i + 2].at == tokens[i].at + 2;
}

// The bracket that the one at `close` closes. Text between round ones is passed over: a > there may be a comparison.
size_t opening(const std::vector<Token>& tokens, size_t close, std::string_view open_text) {
  int depth = 0;
  for (size_t i = close;; --i) {
    if (i != close && token_is(tokens, i, ")")) {
      i = opening(tokens, i, "(");
      continue;
    }
    if (tokens[i].text == tokens[close].text) ++depth;
    if (tokens[i].text == open_text) --depth;
    if (depth == 0 || i == 0) return i;
  }
}

// Whether token i is the first < of a <<<: three without a space between, which only launches have.
bool is_launch(const std::vector<Token>& tokens, size_t i) { return i > 0 && three_in_a_row(tokens, i, "<"); }

// The first > of the >>> that belongs to the <<< at `open`; tokens.size() when there is none.
size_t end_of_configuration(const std::vector<Token>& tokens, size_t open) {
  for (size_t i = open + 3; i < tokens.size() && !token_is(tokens, i, ";") && !is_launch(tokens, i); ++i) {
    if (token_is(tokens, i, "(") || token_is(tokens, i, "{") || token_is(tokens, i, "[")) i = closing(tokens, i);
    if (three_in_a_row(tokens, i, ">") && token_is(tokens, i + 3, "(")) return i;
  }
  return tokens.size();
}

// The first token of what names the kernel before the <<< at `open`: mine::softmax<T, 4>, (kernel), kernels[i].
size_t begin_of_callee(const std::vector<Token>& tokens, size_t open) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kSuffixes{{{"]", "["}, {">", "<"}}};
  size_t begin = open;
  if (token_is(tokens, begin - 1, ")")) return opening(tokens, begin - 1, "(");
  for (const auto& [close, bracket] : kSuffixes)
    if (token_is(tokens, begin - 1, close)) begin = opening(tokens, begin - 1, bracket);
  while (begin > 0 && tokens[begin - 1].is_word()) {
    --begin;
    const bool joined = begin > 1 && token_is(tokens, begin - 1, "#") && token_is(tokens, begin - 2, "#");  // k_##n
    if (!joined && (begin == 0 || !token_is(tokens, begin - 1, "::"))) break;
    begin -= joined ? 2 : 1;
  }
  return begin;
}

}  // namespace

std::string with_joined_brackets(std::string text) {
  const auto join = [&](std::string_view apart, std::string_view joined) {
    for (size_t at = text.find(apart); at != std::string::npos; at = text.find(apart, at + apart.size()))
      text.replace(at, apart.size(), joined);
  };
  if (text.find("<< <") == std::string::npos) return text;
  join("<< <", "<<< ");
  join(">> >", ">>> ");
  return text;
}

std::string with_alignas_first(std::string_view text) {
  const auto code = without_comments(text);
  if (!code) return std::string(text);
  const std::vector<Token> tokens = tokens_of(*code);
  Replaced moved(text);
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!token_is(tokens, i, "__shared__") || !token_is(tokens, i + 1, "alignas") || !token_is(tokens, i + 2, "("))
      continue;
    const size_t close = closing(tokens, i + 2);
    if (close == tokens.size()) break;
    size_t first = i;
    while (first > 0 && (token_is(tokens, first - 1, "extern") || token_is(tokens, first - 1, "static"))) --first;
    const size_t begin = tokens[first].at, from = tokens[i + 1].at, end = tokens[close].at + 1;
    moved.replace(begin, end, fmt::format("{} {}", text.substr(from, end - from), text.substr(begin, from - begin)));
    i = close;
  }
  return moved.take();
}

std::string without_launch_syntax(std::string_view text) {
  const auto code = without_comments(text);
  if (!code) return std::string(text);  // a compiler reports better what is wrong with it
  const std::vector<Token> tokens = tokens_of(*code);
  Replaced replaced(text);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!is_launch(tokens, i)) continue;
    const size_t end = end_of_configuration(tokens, i);
    if (end == tokens.size()) continue;
    const size_t callee = tokens[begin_of_callee(tokens, i)].at, open = tokens[i].at, close = tokens[end].at + 3;
    replaced.replace(callee, close,
                     fmt::format("assay_launch({}) assay_configured({})", text.substr(callee, open - callee),
                                 text.substr(open + 3, tokens[end].at - open - 3)));
    i = end + 2;
  }
  return replaced.take();
}

}  // namespace assay
