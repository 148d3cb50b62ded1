// Modules' tables, hashed when a module is first seen: a launch looks up two functions, a module may have thousands.
#include "harness/simt/runtime/module_facts.h"

#include <unordered_map>

namespace assay::simt {

FunctionFacts facts_of(const Module& module, const void* function) {
  using Facts = std::unordered_map<const void*, FunctionFacts>;
  static std::unordered_map<const FunctionFacts*, Facts> modules;
  const auto [known, is_new] = modules.try_emplace(module.functions);
  Facts& facts = known->second;
  if (is_new)
    for (const FunctionFacts* entry = module.functions; entry != module.functions_end; ++entry)
      facts.emplace(entry->function, *entry);
  const auto found = facts.find(function);
  return found == facts.end() ? FunctionFacts{} : found->second;
}

}  // namespace assay::simt
