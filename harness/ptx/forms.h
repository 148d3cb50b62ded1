// The instructions that compute a result from operands: which types and modifiers each has, and its function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/ptx/module.h"

namespace assay::ptx {

// The operands and the function (harness/simt/include/ptx/*.h) that all forms of an instruction share.
struct PlainForm {
  std::string_view operands;  // a letter each, the result first: T the type, W twice as wide, U u32, P a predicate, C
                              // the carry, which no operand of the text stands for
  std::string function;       // a template over the type and the modifiers, or its name and first argument
};

// Nothing where the table has no row for the instruction.
std::optional<PlainForm> form_of(const Instruction& instruction);

bool has_word(std::string_view words, std::string_view word);

bool has(const Instruction& instruction, std::string_view modifier);
bool has_only(const Instruction& instruction, std::string_view words);  // no modifier but these

// The modifiers of `instruction` that decide how it computes, as C++: "kFtz | kRz", or "0".
std::string flags_of(const Instruction& instruction);

}  // namespace assay::ptx
