// One pass over the characters.
#include "harness/ptx/tokens.h"

#include <fmt/format.h>

namespace assay::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  Result<std::vector<Token>> all() {
    std::vector<Token> tokens;
    while (true) {
      const size_t before = at_;
      ASSAY_TRY(skip_space());
      Token token{Token::end, {}, {line_, column()}, at_ != before || tokens.empty()};
      if (at_ == text_.size()) {
        tokens.push_back(token);
        return tokens;
      }
      const size_t begin = at_;
      token.kind = next();
      if (token.kind == Token::end) {
        const char c = text_[begin];
        return wrong(path_, token.place,
                     c == '"'
                         ? "a string that does not end on its line"
                         : fmt::format("a character that PTX does not have, 0x{:02x}", static_cast<unsigned char>(c)),
                     "is it a PTX text?");
      }
      token.text = text_.substr(begin, at_ - begin);
      if (token.kind == Token::string) token.text = token.text.substr(1, token.text.size() - 2);
      tokens.push_back(token);
    }
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  int column() const { return static_cast<int>(at_ - line_begin_) + 1; }
  void step() {
    if (text_[at_++] == '\n') ++line_, line_begin_ = at_;
  }

  Result<void> skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
        step();
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        const Place begin{line_, column()};
        at_ += 2;
        while (at_ < text_.size() && !(text_[at_] == '*' && peek(1) == '/')) step();
        if (at_ == text_.size()) return wrong(path_, begin, "a comment that does not end", "the text is cut off");
        at_ += 2;
      } else {
        break;
      }
    }
    return {};
  }

  // Moves past a token; Token::end where there is none.
  Token::Kind next() {
    const char c = text_[at_];
    if (c == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_)
        if (text_[at_] == '\\' && peek(1) != '\n' && peek(1) != '\0') ++at_;
      if (peek() != '"') return Token::end;
      ++at_;
      return Token::string;
    }
    if (is_digit(c)) {
      const bool may_have_sign = c != '0' || peek(1) == '.';  // 1.5e-3, but not 0x1e-3
      while (is_name(peek()) || (peek() == '.' && is_digit(peek(1))))
        at_ += may_have_sign && peek() == 'e' && (peek(1) == '+' || peek(1) == '-') && is_digit(peek(2)) ? 2 : 1;
      return Token::number;
    }
    if (is_letter(c) || c == '_' || c == '$' || c == '%') {
      for (++at_; is_name(peek());) ++at_;
      return Token::word;
    }
    if (c == '.' && is_name(peek(1))) {
      for (++at_; is_name(peek()) || (peek() == ':' && peek(1) == ':' && is_name(peek(2)));)
        at_ += peek() == ':' ? 2 : 1;
      return Token::directive;
    }
    if (std::string_view(",;:[](){}<>+-*/|!~@=&^.?").find(c) == std::string_view::npos) return Token::end;
    ++at_;
    return Token::symbol;
  }

  std::string_view text_;
  const std::string& path_;
  size_t at_ = 0, line_begin_ = 0;
  int line_ = 1;
};

}  // namespace

tl::unexpected<Error> wrong(const std::string& path, Place place, const std::string& what, const std::string& hint) {
  return fail(fmt::format("{}:{}:{}: {}", path, place.line, place.column, what), hint);
}

Result<std::vector<Token>> tokens_of(std::string_view text, const std::string& path) {
  constexpr size_t kBytesMax = size_t{256} << 20;
  if (text.size() > kBytesMax)
    return wrong(path, {1, 1}, fmt::format("{} MB of PTX, more than 256", text.size() >> 20), "split it");
  return Lexer(text, path).all();
}

}  // namespace assay::ptx
