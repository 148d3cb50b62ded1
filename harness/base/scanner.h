// Reading text piece by piece, left to right, in place of regular expressions: std::regex needs stack for each
// character that it matches, and a line of 100 KB ends the process.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace assay {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  size_t at() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }
  std::string_view rest() const { return text_.substr(at_); }
  void go_to(size_t at) { at_ = std::min(at, text_.size()); }

  // Past `words`, if they stand here.
  bool skip(std::string_view words) {
    if (!rest().starts_with(words)) return false;
    at_ += words.size();
    return true;
  }
  // Past the next `words`, if they come.
  bool skip_past(std::string_view words) {
    const size_t found = text_.find(words, at_);
    if (found == std::string_view::npos) return false;
    at_ = found + words.size();
    return true;
  }
  // The longest run of characters that are so; "" when the next one is not.
  template <class Is>
  std::string_view take(Is is) {
    const size_t begin = at_;
    while (at_ < text_.size() && is(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::string_view digits() { return take(is_digit); }
  std::string_view word() { return take(is_word_char); }
  std::string_view blanks() { return take(is_blank); }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

// The text without blanks and line ends around it.
inline std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

}  // namespace assay
