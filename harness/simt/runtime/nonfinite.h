// Finds the instruction that makes a kernel's first NaN or infinity.
//
// While a launch is watched, the processor traps on the floating-point exceptions that mean one: invalid operation,
// division by zero, overflow. It costs nothing until then. Comparisons, conversions to integers, minima and maxima
// raise `invalid` for a NaN that is already there; they are stepped over. Narrowing to half raises
// overflow by hand; what rounds to infinity on its way to bfloat16, just below FLT_MAX, is not seen. x86-64 only;
// elsewhere nothing is ever found.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

#include "harness/simt/include/simt/vector_types.h"

namespace assay::simt {

class Worker;

struct NonfiniteOrigin {
  bool found = false;
  bool nan = false;  // else an infinity
  uint3 block{}, thread{};
  bool thread_known = false;
  std::array<const void*, 12> stack{};  // addresses after the instruction and after the calls that led to it
  size_t depth = 0;
};

// Handles the traps of this process while it lives; one at a time.
class NonfiniteHandlers {
 public:
  NonfiniteHandlers();
  ~NonfiniteHandlers();
  NonfiniteHandlers(const NonfiniteHandlers&) = delete;
  NonfiniteHandlers& operator=(const NonfiniteHandlers&) = delete;

 private:
  struct sigaction before_fpe_ {};
  struct sigaction before_trap_ {};
};

// Watches what this OS thread computes while it lives.
class NonfiniteWatch {
 public:
  NonfiniteWatch(const Worker& worker, NonfiniteOrigin& origin);
  ~NonfiniteWatch();
  NonfiniteWatch(const NonfiniteWatch&) = delete;
  NonfiniteWatch& operator=(const NonfiniteWatch&) = delete;

 private:
  unsigned before_;
};

}  // namespace assay::simt
