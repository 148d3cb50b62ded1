// Writing one function: what operands are in C++, and where the statement of each instruction goes.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/ptx/flow.h"
#include "harness/ptx/module.h"
#include "harness/ptx/translate.h"

namespace assay::ptx {

// The declarations of a module, by name.
struct Symbols {
  std::map<std::string, const Variable*, std::less<>> variables;
  std::map<std::string, const Function*, std::less<>> functions;
};

class FunctionWriter {
 public:
  FunctionWriter(const Module& module, const Symbols& symbols, const Function& function,
                 const TranslateOptions& options);

  // Its shared variables, which lie outside, and the function.
  Result<std::string> text();

  // "void name(uint32_t n)"
  static std::string signature(const Function& function);

  // The functions below are for the writers of instruction families (family.h).

  // The value of an operand as a PTX type: "as<uint32_t>(r1)".
  std::string value(const Operand& operand, std::string_view type);
  // The register that an operand is, to be assigned; a variable that nobody reads for _.
  std::string target(const Operand& operand);
  // "set(r1, VALUE);", or "r1 = VALUE;" where the value is known to be of the PTX type that the register has.
  std::string assign(const Operand& operand, const std::string& value, std::string_view type = "");
  // The C++ type of the register that an operand is; "" where it is none.
  std::string register_type_of(const Operand& operand) const;
  // The host's address that [operand] is, in a space.
  std::string address(const Operand& operand, Space space);
  // A pointer to a parameter's bytes, "p + 4", if the operand names one.
  std::optional<std::string> parameter(const Operand& operand);
  const Variable* variable(const std::string& name) const;
  const Block* block(const std::string& label) const;
  const Symbols& symbols() const { return symbols_; }
  const Function& function() const { return function_; }
  std::string error_place() const;  // of the instruction that is being written
  // Keeps the first error.
  void refuse(const std::string& what);
  void refuse_instruction(const Instruction& instruction);

 private:
  struct SourceLine {
    std::string file;
    int line = 0;
    bool operator==(const SourceLine&) const = default;
  };
  SourceLine source_line(const Instruction& instruction) const;
  bool has_no_line(const Instruction& instruction) const;  // what the compiler gave no line; that before it will do
  std::string statement(const Instruction& instruction);
  std::string declared_registers() const;
  bool begins_basic_block(size_t number, const Instruction& instruction) const;
  std::string counted() const;  // the function's basic blocks, for the executor
  std::optional<std::string> special_register(const std::string& name) const;
  std::string type_of_register(const std::string& name) const;  // "" where there is none

  const Module& module_;
  const Symbols& symbols_;
  const Function& function_;
  const TranslateOptions& options_;
  std::map<std::string, const Variable*, std::less<>> variables_;  // of the body
  std::set<std::string> parameters_;                               // of the function: pointers to bytes, or its own
  std::map<std::string, std::pair<std::string, uint64_t>, std::less<>> registers_;  // name: type, count
  std::vector<BasicBlock> flow_;                                                    // where instructions are counted
  std::set<std::string> used_;                                                      // registers
  const Instruction* now_ = nullptr;
  std::optional<Error> error_;
};

}  // namespace assay::ptx
