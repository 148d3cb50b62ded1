// The text of a compiler's assembly, line by line: what each line is, and of which function it is part.
//
// It knows as much of the syntax as compilers write, for GNU as: one statement for each line, comments behind "# ".
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::simt::finish {

struct Line {
  std::string_view text;       // all of it, without the newline
  std::string_view label;      // "x" of "x:", or empty
  std::string_view operation;  // the mnemonic or the directive, "#APP" and "#NO_APP" too; or empty
  std::string_view operands;   // what follows, without a comment
  std::string_view function;   // whose code this is; x.cold is part of x. Empty outside functions
  std::string_view section;    // its name
  bool thread_local_section = false;
  bool in_inline_assembly = false;
  bool dropped = false;

  bool is_directive() const { return operation.starts_with('.'); }
  bool is_instruction() const { return !operation.empty() && !is_directive() && operation[0] != '#'; }
};

class Assembly {
 public:
  explicit Assembly(std::string_view text);  // which must outlive it

  std::vector<Line> lines;

  // Gives the line another text, which is printed in its place and not looked at again.
  void replace(Line& line, std::string text);
  std::string print() const;

 private:
  std::deque<std::string> replaced_;
};

// "a, 8(b,c), d" -> "a", "8(b,c)", "d"
std::vector<std::string_view> operands_of(std::string_view operands);

// The number that the text is, in C's notation.
std::optional<uint64_t> number_in(std::string_view text);

// Whether the character may be part of a symbol.
bool is_symbol_character(char c);

}  // namespace assay::simt::finish
