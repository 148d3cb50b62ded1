// Which functions of a file call which, by the text of their code.
#pragma once

#include <unordered_map>

#include "harness/simt/build/finish/assembly.h"

namespace assay::simt::finish {

// The callees by name, each once; a call through a pointer that the text does not name is "*" and something.
using CallGraph = std::unordered_map<std::string_view, std::vector<std::string_view>>;

// Has an entry for every function whose code is in the file.
CallGraph read_calls(const Assembly& assembly);

// The operation of an instruction and its operand, without prefixes such as `lock`.
struct Instruction {
  std::string_view operation, operand;  // the first operand
};
Instruction instruction_of(const Line& line);

}  // namespace assay::simt::finish
