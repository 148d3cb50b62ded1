// Names, places and definitions of several modules, put together.
#include "harness/program/link_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

namespace assay {
namespace {

using ptx::Function;
using ptx::Module;
using ptx::Operand;
using ptx::Variable;
using Renamed = std::map<std::string, std::string>;

void rename(std::string& name, const Renamed& names) {
  if (const auto found = names.find(name); found != names.end()) name = found->second;
}

void rename(std::vector<Operand>& operands, const Renamed& names) {
  for (Operand& operand : operands) {
    if (operand.kind == Operand::name) rename(operand.text, names);
    rename(operand.parts, names);
  }
}

void rename(Module& module, const Renamed& names) {
  for (Variable& variable : module.variables) {
    rename(variable.name, names);
    for (ptx::Initial& element : variable.initial) rename(element.symbol, names);
  }
  for (Function& function : module.functions)
    for (ptx::Block& block : function.blocks)
      for (ptx::Instruction& instruction : block.instructions) rename(instruction.operands, names);
}

bool are_same(const Variable& one, const Variable& other) {
  const auto is_same = [](const ptx::Initial& a, const ptx::Initial& b) {
    return a.bits == b.bits && a.symbol == b.symbol;
  };
  return one.type == other.type && one.elements == other.elements && one.space == other.space &&
         std::ranges::equal(one.initial, other.initial, is_same);
}

// Places of the user's source stay those of their module.
void move_places(Module& module, int files, int locations) {
  std::map<int, std::string> moved;
  for (auto& [number, path] : module.files) moved[number + files] = std::move(path);
  module.files = std::move(moved);
  for (ptx::Location& location : module.locations) {
    location.file += files;
    if (location.inlined_at >= 0) location.inlined_at += locations;
  }
  for (Function& function : module.functions) {
    if (function.location >= 0) function.location += locations;
    for (ptx::Block& block : function.blocks)
      for (ptx::Instruction& instruction : block.instructions)
        if (instruction.location >= 0) instruction.location += locations;
  }
}

void add(Module& whole, Module next, size_t number) {
  Renamed names;
  for (const Variable& variable : next.variables) {
    const auto known = std::ranges::find(whole.variables, variable.name, &Variable::name);
    const bool both = known != whole.variables.end() && !known->is_extern && !variable.is_extern;
    if (both && variable.space != ptx::Space::shared && !are_same(*known, variable))
      names[variable.name] = fmt::format("{}@{}", variable.name, number);
  }
  rename(next, names);
  move_places(next, whole.files.empty() ? 0 : whole.files.rbegin()->first + 1,
              static_cast<int>(whole.locations.size()));
  whole.files.merge(next.files);
  std::ranges::move(next.locations, std::back_inserter(whole.locations));
  for (Variable& variable : next.variables) {
    const auto known = std::ranges::find(whole.variables, variable.name, &Variable::name);
    if (known == whole.variables.end())
      whole.variables.push_back(std::move(variable));
    else if (known->is_extern && known->space != ptx::Space::shared)
      *known = std::move(variable);
  }
  for (Function& function : next.functions) {
    const auto known = std::ranges::find(whole.functions, function.name, &Function::name);
    if (known == whole.functions.end())
      whole.functions.push_back(std::move(function));
    else if (!known->has_body)
      *known = std::move(function);
  }
}

}  // namespace

Module linked(std::vector<Module> modules) {
  Module whole = std::move(modules.front());
  for (size_t i = 1; i < modules.size(); ++i) add(whole, std::move(modules[i]), i);
  return whole;
}

}  // namespace assay
