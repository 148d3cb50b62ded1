// The instructions that compute a result from operands: which types and modifiers each has, and its function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/ptx/module.h"

namespace assay::ptx {

// One row: all forms of an instruction that one function of harness/simt/include/ptx/*.h computes.
struct Form {
  std::string_view name;       // the opcode and modifiers that it must have: "add.cc"
  std::string_view types;      // its last modifier, one of these
  std::string_view operands;   // a letter each, the result first: T the type, W twice as wide, U u32, P a predicate, C
                               // the carry, which no operand of the text stands for
  std::string_view modifiers;  // it may have
  std::string_view function;   // a template over the type and the modifiers, or its name and first argument
};

// The row for an instruction; null where there is none.
const Form* form_of(const Instruction& instruction);

// The words between spaces.
std::vector<std::string_view> words_of(std::string_view text);
bool has_word(std::string_view words, std::string_view word);

bool has(const Instruction& instruction, std::string_view modifier);
bool has_only(const Instruction& instruction, std::string_view words);  // no modifier but these

// The modifiers of `instruction` that decide how it computes, as C++: "kFtz | kRz", or "0".
std::string flags_of(const Instruction& instruction);

}  // namespace assay::ptx
