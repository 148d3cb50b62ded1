// Proves how many bytes of stack a function takes at most, all that it calls included (g++ on x86-64).
//
// Unwinding needs the distance from the stack pointer to a function's frame at every instruction, so the compiler
// states it in .cfi directives; the largest is the function's own need. (-fstack-usage knows neither inline assembly
// nor what calls push.) Calls and jumps to other functions are in the text; what functions of other libraries need
// comes from callee_needs.h. Whatever is not understood has no proof: frames of variable size, recursion,
// calls through pointers, callees that are not listed or that another library may replace, jump tables, inline assembly
// that moves the stack pointer.
//
// Functions that will get dense stacks (runtime/dense_stacks.h) lose the lines of a switch that are marked `# far
// stacks`.
#pragma once

#include <string>
#include <unordered_map>

#include "harness/simt/build/finish/call_graph.h"

namespace assay::simt::finish {

using Needs = std::unordered_map<std::string_view, uint64_t>;

// The proven needs of the file's functions; those without proof are not in it.
Needs prove_stack_needs(Assembly& assembly, const CallGraph& calls);

}  // namespace assay::simt::finish
