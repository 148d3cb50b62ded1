// Removing comments and directives from CUDA text, and cutting the rest into tokens.
#include "harness/adapter/read/cuda_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/base/scanner.h"

namespace assay {
namespace {

int line_at(std::string_view text, size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// Whether the quote at `at` stands between the digits of a number, as in 1'000.
bool separates_digits(std::string_view text, size_t at) {
  constexpr size_t kLongest = 100;  // no number is longer
  size_t begin = at;
  while (begin > 0 && at - begin < kLongest && (is_word_char(text[begin - 1]) || text[begin - 1] == '\'')) --begin;
  return begin < at && is_digit(text[begin]);
}

// The offset of the closing quote of a string or character, or of the line's end when there is none.
size_t end_of_quoted(std::string_view text, size_t open) {
  size_t at = open + 1;
  while (at < text.size() && text[at] != text[open] && text[at] != '\n') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

bool opens_raw_string(std::string_view text, size_t quote) {
  if (quote == 0 || text[quote] != '"' || text[quote - 1] != 'R') return false;
  size_t begin = quote - 1;
  while (begin > 0 && is_word_char(text[begin - 1])) --begin;
  const std::string_view prefix = text.substr(begin, quote - begin);
  return prefix == "R" || prefix == "LR" || prefix == "uR" || prefix == "UR" || prefix == "u8R";
}

bool starts_template_arguments(const std::vector<Token>& tokens, size_t open) {
  if (open == 0 || open + 1 >= tokens.size() || !tokens[open - 1].is_word()) return false;
  return tokens[open + 1].text != "<" && tokens[open + 1].text != "=";
}

bool is_and(const std::vector<Token>& tokens, size_t i) {
  return token_is(tokens, i, "&") && token_is(tokens, i + 1, "&") && tokens[i + 1].at == tokens[i].at + 1;
}

// Pairs brackets, and each < with the > that may close a list of template arguments, in one walk: who asks for one
// bracket after the other would read the rest of the file each time.
class Pairing {
 public:
  explicit Pairing(std::vector<Token>& tokens) : tokens_(tokens) {}

  void pair() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].text.size() != 1) continue;
      const char mark = tokens_[i].text[0];
      const auto is_of = [&](std::string_view marks) { return marks.find(mark) != std::string_view::npos; };
      if (is_of(";{})]") || (mark == '&' && is_and(tokens_, i))) drop_angles();  // they were comparisons
      if (is_of("([{") || (mark == '<' && starts_template_arguments(tokens_, i))) open_.push_back(i);
      if (is_of(")]}")) close(i);
      if (mark == '>' && has_angle() && tokens_[i - 1].text != "-") close(i);
    }
  }

 private:
  bool has_angle() const { return !open_.empty() && tokens_[open_.back()].text == "<"; }
  void drop_angles() {
    while (has_angle()) open_.pop_back();
  }
  void close(size_t i) {
    if (open_.empty()) return;
    tokens_[open_.back()].to_close = i - open_.back();
    open_.pop_back();
  }

  std::vector<Token>& tokens_;
  std::vector<size_t> open_;
};

// Puts spaces in place of everything in [begin, end) but line ends.
void blank(std::string& text, size_t begin, size_t end) {
  for (size_t i = begin; i < std::min(end, text.size()); ++i)
    if (text[i] != '\n') text[i] = ' ';
}

// The end of the line at `at`, past those that a backslash continues.
size_t end_of_logical_line(std::string_view text, size_t at) {
  for (size_t end = text.find('\n', at); end != std::string_view::npos; end = text.find('\n', end + 1)) {
    const size_t last = end > at && text[end - 1] == '\r' ? end - 1 : end;
    if (last == at || text[last - 1] != '\\') return end;
  }
  return text.size();
}

}  // namespace

std::string without_byte_order_mark(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

bool Token::is_word() const { return !text.empty() && is_word_char(text[0]) && !is_digit(text[0]); }

Result<std::string> without_comments(std::string_view text) {
  std::string code(text);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      const size_t end = end_of_logical_line(text, i);
      blank(code, i, end);
      i = end;
    } else if (text.substr(i, 2) == "/*") {
      const size_t end = text.find("*/", i + 2);
      if (end == std::string_view::npos)
        return fail(fmt::format("line {}: a comment does not end", line_at(text, i)), "close it with */");
      blank(code, i, end + 2);
      i = end + 1;
    } else if (opens_raw_string(text, i)) {
      const size_t open = std::min(text.find('(', i), text.size());
      const std::string close = ")" + std::string(text.substr(i + 1, open - i - 1)) + "\"";
      const size_t end = text.find(close, open);
      if (end == std::string_view::npos)
        return fail(fmt::format("line {}: a raw string does not end", line_at(text, i)), "close it with " + close);
      blank(code, i + 1, end + close.size() - 1);
      i = end + close.size() - 1;
    } else if (text[i] == '"' || (text[i] == '\'' && !separates_digits(text, i))) {
      const size_t end = end_of_quoted(text, i);
      const bool closed = end < text.size() && text[end] == text[i];
      blank(code, closed ? i + 1 : i, end);  // an apostrophe of an #error, say, opens nothing
      i = end;
    }
  }
  return code;
}

std::string without_directives(std::string code) {
  for (size_t begin = 0; begin < code.size();) {
    const size_t end = end_of_logical_line(code, begin);
    const size_t first = code.find_first_not_of(" \t", begin);
    if (first < end && code[first] == '#') blank(code, begin, end);
    begin = end + 1;
  }
  return code;
}

std::vector<Token> tokens_of(std::string_view code) {
  std::vector<Token> tokens;
  int line = 1;
  for (size_t i = 0; i < code.size();) {
    size_t end = i + 1;
    if (code[i] == '\n') ++line;
    if (std::isspace(static_cast<unsigned char>(code[i])) != 0 || code[i] == '\\') {
      i = end;
      continue;
    }
    if (is_digit(code[i])) {
      while (end < code.size() && (is_word_char(code[end]) || code[end] == '.' || code[end] == '\'' ||
                                   ((code[end] == '-' || code[end] == '+') && std::tolower(code[end - 1]) == 'e' &&
                                    code.substr(i, 2) != "0x")))
        ++end;
    } else if (is_word_char(code[i])) {
      while (end < code.size() && is_word_char(code[end])) ++end;
    } else if (code[i] == '"' || code[i] == '\'') {
      end = std::min(code.find_first_of(code[i] == '"' ? "\"" : "'", end), code.size() - 1) + 1;
    } else if (code.substr(i, 2) == "::") {
      end = i + 2;
    }
    tokens.push_back({code.substr(i, end - i), i, line});
    const std::string_view text = tokens.back().text;
    line += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    i = end;
  }
  Pairing(tokens).pair();
  return tokens;
}

bool mentions(const std::vector<Token>& tokens, std::string_view text) {
  return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) { return token.text == text; });
}

bool token_is(const std::vector<Token>& tokens, size_t i, std::string_view text) {
  return i < tokens.size() && tokens[i].text == text;
}

size_t closing(const std::vector<Token>& tokens, size_t open) {
  const size_t on = tokens[open].to_close;
  return on == 0 || on >= tokens.size() - open ? tokens.size() : open + on;
}

std::vector<std::vector<Token>> split_at_commas(const std::vector<Token>& tokens, size_t begin, size_t end) {
  std::vector<std::vector<Token>> parts;
  if (begin == end) return parts;
  parts.emplace_back();
  for (size_t i = begin; i < end; ++i) {
    const std::string_view text = tokens[i].text;
    if (text == ",") {
      parts.emplace_back();
      continue;
    }
    size_t last = i;
    const bool angle = text == "<" && starts_template_arguments(tokens, i);
    if (angle || text == "(" || text == "[" || text == "{") last = closing(tokens, i);
    if (last >= end) last = i;
    for (; i < last; ++i) parts.back().push_back(tokens[i]);
    parts.back().push_back(tokens[last]);
  }
  return parts;
}

std::string with_type(std::string_view text, std::string_view type, IsType is_type) {
  Replaced replaced(text);
  const std::vector<Token> tokens = tokens_of(text);
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].text == "T" && (!is_type || is_type(tokens, i)))
      replaced.replace(tokens[i].at, tokens[i].at + 1, type);
  return replaced.take();
}

std::string spelled(const std::vector<Token>& tokens) {
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool apart = i > 0 && tokens[i - 1].at + tokens[i - 1].text.size() < tokens[i].at;
    const bool words = i > 0 && is_word_char(tokens[i - 1].text.back()) && is_word_char(tokens[i].text.front());
    if (words || (apart && i > 0)) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

std::string with_tokens(const std::string& text, const std::map<std::string, std::string, std::less<>>& words) {
  std::string with;
  size_t end = 0;
  for (const Token& token : tokens_of(text)) {
    const auto word = words.find(token.text);
    with += text.substr(end, token.at - end) + (word == words.end() ? std::string(token.text) : word->second);
    end = token.at + token.text.size();
  }
  return with + text.substr(end);
}

}  // namespace assay
