// The place in the tokens where reading stands. The first error is kept and moves the cursor to the end of the text, so
// that a reader's loops end without a check after every token.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/ptx/tokens.h"

namespace assay::ptx {

class Cursor {
 public:
  Cursor(std::vector<Token> tokens, const std::string& path) : tokens_(std::move(tokens)), path_(path) {}

  const Token& now() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  bool at_end() const { return now().kind == Token::end; }
  bool is(std::string_view text) const { return now().kind != Token::string && !at_end() && now().text == text; }
  Token take() {
    const Token token = now();
    if (!at_end()) ++at_;
    return token;
  }
  bool take_if(std::string_view text) {
    if (!is(text)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text) {
    if (!take_if(text)) refuse("'" + std::string(text) + "' is missing here");
  }
  std::string take_word(const std::string& what) {
    if (now().kind != Token::word) return refuse(what + " is missing here"), "";
    return std::string(take().text);
  }
  std::string take_type() {
    if (now().kind != Token::directive) return refuse("a type is missing here"), "";
    return std::string(take().text.substr(1));
  }
  uint64_t take_whole(const std::string& what);  // not negative

  // Keeps the error, if it is the first, and ends reading.
  void refuse(const std::string& what, const std::string& hint = "") { refuse_at(now().place, what, hint); }
  void refuse_at(Place place, std::string what, const std::string& hint = "") {
    if (at_end()) what += ": the text is cut off";
    if (!error_) error_ = wrong(path_, place, what, hint.empty() ? "PTX ISA 9.0 is what is read" : hint).value();
    at_ = tokens_.size() - 1;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::vector<Token> tokens_;
  const std::string& path_;
  size_t at_ = 0;
  std::optional<Error> error_;
};

// The bits of a number token, and what it is: Operand::whole, f32 or f64. Sets the error of `cursor` for one too large.
Operand number_of(Cursor& cursor, bool negative);

}  // namespace assay::ptx
