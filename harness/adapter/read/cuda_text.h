// CUDA source text without a compiler: what is left of it without comments, strings and directives, and its tokens.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"

namespace assay {

// A compiler takes U+FEFF at the beginning of a file and nowhere else, as behind a #line.
std::string without_byte_order_mark(std::string text);

// Text of the same length, in which every removed character but line ends is a space: offsets and lines stay.
// Comments and what is between quotes go; the quotes stay. Errors name the line: a comment or raw string that does not
// end.
Result<std::string> without_comments(std::string_view text);

// The same, without preprocessor directives. `code` has no comments.
std::string without_directives(std::string code);

struct Token {
  std::string_view text;  // a word, a number, a quoted string, "::" or one other character
  size_t at = 0;          // offset
  int line = 0;           // from 1
  size_t to_close = 0;    // of a bracket: how many tokens on the one is that closes it; 0: none, or another token
  bool is_word() const;   // an identifier or keyword
};

std::vector<Token> tokens_of(std::string_view code);

// Whether one of the tokens is this.
bool mentions(const std::vector<Token>& tokens, std::string_view text);

// Whether there is a token i, and it reads so.
bool token_is(const std::vector<Token>& tokens, size_t i, std::string_view text);

// Index of the token that closes the bracket at `open`, one of ( [ { <; tokens.size() when none does. A < is closed
// only by what can be a list of template arguments.
size_t closing(const std::vector<Token>& tokens, size_t open);

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The tokens of [begin, end) between the commas that are outside brackets and template arguments; none when empty.
std::vector<std::vector<Token>> split_at_commas(const std::vector<Token>& tokens, size_t begin, size_t end);

// A text with parts of it replaced, in their order.
class Replaced {
 public:
  explicit Replaced(std::string_view text) : text_(text) {}
  void replace(size_t begin, size_t end, std::string_view by) {
    made_ += text_.substr(done_, begin - done_);
    made_ += by;
    done_ = end;
  }
  std::string take() { return std::move(made_ += text_.substr(done_)); }

 private:
  std::string_view text_;
  std::string made_;
  size_t done_ = 0;
};

// The text with each token T replaced by `type`, or each for which `is_type` holds, which sees all tokens and its
// place.
using IsType = bool (*)(const std::vector<Token>& tokens, size_t i);
std::string with_type(std::string_view text, std::string_view type, IsType is_type = nullptr);

// Tokens as one text, as they were written except runs of spaces.
std::string spelled(const std::vector<Token>& tokens);

// The text with other words in the places of some of its tokens.
std::string with_tokens(const std::string& text, const std::map<std::string, std::string, std::less<>>& words);

}  // namespace assay
