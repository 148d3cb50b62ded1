// Which functions of a file call which, by the text of their code.
#pragma once

#include <unordered_map>

#include "harness/simt/build/finish/assembly.h"

namespace assay::simt::finish {

// By name; a call through a pointer that the text does not tell is "*" and something. Each callee is there once.
using CallGraph = std::unordered_map<std::string_view, std::vector<std::string_view>>;

// Has an entry for every function whose code is in the file.
CallGraph read_calls(const Assembly& assembly);

// What an instruction does and to what, without prefixes such as `lock`.
struct Instruction {
  std::string_view operation, operand;  // the first operand
};
Instruction instruction_of(const Line& line);

}  // namespace assay::simt::finish
