// The order of the steps, and the tables.
#include "harness/simt/build/finish/finish.h"

#include <algorithm>
#include <set>

#include "harness/simt/build/finish/code_hash.h"
#include "harness/simt/build/finish/constant_memory.h"
#include "harness/simt/build/finish/launch_bounds.h"
#include "harness/simt/build/finish/redirect.h"
#include "harness/simt/build/finish/shared_memory.h"
#include "harness/simt/build/finish/stack_needs.h"
#include "harness/simt/build/finish/symbols.h"

namespace assay::simt::finish {
namespace {

// Farther past the end of an array than this another one may lie.
constexpr uint64_t kGapBytes = 256;

// The bytes of the shared arrays that a function and all that it is seen to call name.
class SharedBytes {
 public:
  SharedBytes(const SharedMemory& memory, const CallGraph& calls) : memory_(memory), calls_(calls) {}

  uint64_t of(std::string_view function) {
    seen_.clear();
    arrays_.clear();
    visit(function);
    uint64_t bytes = 0;
    for (const size_t array : arrays_) bytes += memory_.arrays[array].bytes;
    return bytes;
  }

 private:
  void visit(std::string_view function) {
    const auto callees = calls_.find(function);
    if (callees == calls_.end() || !seen_.insert(function).second) return;
    if (const auto used = memory_.used_by.find(function); used != memory_.used_by.end())
      arrays_.insert(used->second.begin(), used->second.end());
    for (const std::string_view callee : callees->second) visit(callee);
  }

  const SharedMemory& memory_;
  const CallGraph& calls_;
  std::set<std::string_view> seen_;
  std::set<size_t> arrays_;
};

template <class Map>
uint64_t value_or_0(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? 0 : found->second;
}

// FunctionFacts of simt/module.h, in the order of their names: the same file always gives the same text.
std::string table_of_functions(const SharedMemory& memory, const CallGraph& calls, const Needs& needs,
                               const std::unordered_map<std::string_view, uint64_t>& bounds) {
  std::string text = "\t.section\tassay_functions,\"aw\",%progbits\n\t.balign\t8\n";
  std::set<std::string_view> names;
  for (const auto& [name, callees] : calls) names.insert(name);
  SharedBytes shared(memory, calls);
  for (const std::string_view name : names) {
    const uint64_t stack = value_or_0(needs, name), bytes = shared.of(name), threads = value_or_0(bounds, name);
    if (stack == 0 && bytes == 0 && threads == 0) continue;
    text += "\t.quad\t" + std::string(name) + ", " + std::to_string(stack) + ", " + std::to_string(bytes) + ", " +
            std::to_string(threads) + "\n";
  }
  return text;
}

// SharedArrayFacts of simt/module.h.
std::string table_of_arrays(const SharedMemory& memory) {
  std::string table = "\t.section\tassay_shared_arrays,\"aw\",%progbits\n\t.balign\t8\n";
  std::string names = "\t.section\t.rodata\n";
  for (size_t i = 0; i < memory.arrays.size(); ++i) {
    const SharedArray& array = memory.arrays[i];
    const std::string label = ".Lassay_name" + std::to_string(i), name(array.name);
    table += "\t.quad\t" + name + ", " + std::to_string(array.bytes) + ", " + (array.is_guard ? "0" : label) + "\n";
    names += label + ":\n\t.string\t\"" + name + "\"\n";
  }
  return names + table;
}

}  // namespace

Finished finish(std::string_view text, const Options& options) {
  Assembly assembly(text);
  const uint64_t hash = code_hash(assembly);
  make_symbols_local(assembly);
  const std::string hash_definition = define_code_hash(assembly, hash);
  const SharedMemory memory = make_shared_memory_plain(assembly);
  if (!memory.error.empty()) return {.text = "", .error = memory.error};
  gather_constants(assembly);
  redirect_heap(assembly);
  if (options.hook_copies) redirect_copies(assembly);
  const auto bounds = take_launch_bounds(assembly);
  const CallGraph calls = read_calls(assembly);
  Needs needs;
  if (options.prove_stacks) needs = prove_stack_needs(assembly, calls);
  std::string finished = assembly.print();
  finished += definitions_of(memory, options.checked ? kGapBytes : 0);
  finished += table_of_functions(memory, calls, needs, bounds);
  if (options.checked) finished += table_of_arrays(memory);
  finished += hash_definition;
  return {.text = std::move(finished), .error = ""};
}

}  // namespace assay::simt::finish
