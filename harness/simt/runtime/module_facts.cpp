// Modules' tables, hashed when a module is first seen: a launch looks up two functions, a module may have thousands.
#include "harness/simt/runtime/module_facts.h"

#include <unordered_map>
#include <unordered_set>

namespace assay::simt {

FunctionFacts facts_of(const Module& module, const void* function) {
  static std::unordered_set<const FunctionFacts*> seen;
  static std::unordered_map<const void*, FunctionFacts> facts;
  if (seen.insert(module.functions).second)
    for (const FunctionFacts* entry = module.functions; entry != module.functions_end; ++entry)
      facts.emplace(entry->function, *entry);
  const auto found = facts.find(function);
  return found == facts.end() ? FunctionFacts{} : found->second;
}

}  // namespace assay::simt
