// Calls by which a translated kernel reports the path that each of its threads takes, so that instructions are counted
// (checked/path_counts.h). Only kernels that were translated for counting have it, and only their checked build calls
// anything.
#pragma once

#include <cstdint>

#include "harness/simt/include/simt/fiber.h"

#pragma GCC visibility push(default)
namespace assay::simt::checked {

void function_entered(const Fiber* me, const char* program);
void block_passed(const Fiber* me, uint32_t number);
void function_left(const Fiber* me);

}  // namespace assay::simt::checked
#pragma GCC visibility pop

#if defined(ASSAY_CPU_CHECKED)

namespace assay::ptx {

// Lives as long as the function runs. A thread that is given up leaves nothing behind: its block's end forgets it.
struct CountedFunction {
  explicit CountedFunction(const char* program) { simt::checked::function_entered(simt::current(), program); }
  ~CountedFunction() { simt::checked::function_left(simt::current()); }
  CountedFunction(const CountedFunction&) = delete;
  CountedFunction& operator=(const CountedFunction&) = delete;
};

}  // namespace assay::ptx

#define ASSAY_PTX_COUNTED(program) const ::assay::ptx::CountedFunction counted_function(program);
#define ASSAY_PTX_PASS(number) ::assay::simt::checked::block_passed(::assay::simt::current(), number);

#else

#define ASSAY_PTX_COUNTED(program)
#define ASSAY_PTX_PASS(number)

#endif
