// Counts by line, and their text.
#include "harness/ptx/counted_program.h"

#include <fmt/format.h>

#include <map>

#include "harness/ptx/instruction_class.h"

namespace assay::ptx {
namespace {

// Characters that the text or the literal gives a meaning of their own.
std::string as_place(const std::string& place) {
  std::string text;
  for (const char c : place) text += c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ' ? '\'' : c;
  return text;
}

std::string text_of(const InstructionCounts& counts) {
  std::string text;
  for (size_t i = 0; i < kCounted; ++i)
    if (counts.of[i] != 0) text += fmt::format("{}{}:{}", text.empty() ? "" : " ", i, counts.of[i]);
  return text;
}

}  // namespace

std::string counted_program(const Function& function, const std::vector<BasicBlock>& flow,
                            const std::function<std::string(const Instruction&)>& place_of) {
  std::string text;
  for (const BasicBlock& block : flow) {
    text += fmt::format("\n  \"{}\\t{}", block.meets, block.next.size() > 1 ? 1 : 0);
    std::map<std::string, InstructionCounts> lines;
    for (size_t i = block.begin; i < block.end; ++i) {
      const Instruction& instruction = function.blocks[block.block].instructions[i];
      lines[as_place(place_of(instruction))] += counts_of(instruction);
    }
    for (const auto& [place, counts] : lines) text += fmt::format("\\t{}\\t{}", place, text_of(counts));
    text += "\\n\"";
  }
  return text.empty() ? "\"\"" : text;
}

}  // namespace assay::ptx
