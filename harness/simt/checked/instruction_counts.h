// How many instructions warps have issued, by what executes them on a GPU.
//
// Only kernels that come by PTX are counted: there each instruction is known (harness/ptx/README.md). An instruction of
// PTX counts once for each *pass* of its basic block by a warp, whatever number of lanes take part; path_counts.h says
// what a pass is. A predicated instruction counts in each pass, since it takes its slot whatever the predicate is. All
// counts are whole numbers, the same in every run and schedule of a kernel whose control flow does not depend on the
// order of threads.
//
// Limits. PTX is what ptxas reads, and not what it writes: moves, parameters and changes of sign mostly vanish, integer
// arithmetic may be merged, and a division is one instruction here and many there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#pragma GCC visibility push(default)
namespace assay {

enum class Counted : uint8_t {
  // Instructions.
  fp32,        // add, mul, fma, min, max, comparisons
  fp16,        // the same of f16 and bf16, pairs included
  fp64,        // the same of f64
  tensor,      // mma, wmma.mma
  integer,     // arithmetic, bits, comparisons, choices
  conversion,  // to, from and between floating-point types
  special,     // div rcp sqrt rsqrt sin cos lg2 ex2 tanh
  shuffle,     // shfl, redux, movmatrix
  shared,      // accesses to shared memory: ld st atom red ldmatrix stmatrix
  global,      // accesses to global and generic memory, asynchronous copies from it
  local,       // accesses to local memory
  control,     // branches, calls, ends, votes; waiting for asynchronous copies
  barrier,     // barriers and fences
  move,        // mov, cvta, parameters, constants, widening, neg, abs: what a GPU mostly does for nothing
  // Products and sums of the tensor instructions among them, by the type of A and B.
  tensor_f16,  // and bf16
  tensor_tf32,
  tensor_f8,
  tensor_i8,
  tensor_f64,
  count
};

inline constexpr size_t kCounted = static_cast<size_t>(Counted::count);
inline constexpr size_t kInstructionClasses = static_cast<size_t>(Counted::tensor_f16);

std::string_view name(Counted counted);  // "fp32", "tensor_f16"

struct InstructionCounts {
  std::array<int64_t, kCounted> of{};
  int64_t by_threads = 0;  // instructions that threads have come to: up to 32 for each that a warp issues

  int64_t& operator[](Counted counted) { return of[static_cast<size_t>(counted)]; }
  int64_t operator[](Counted counted) const { return of[static_cast<size_t>(counted)]; }
  InstructionCounts& operator+=(const InstructionCounts& other);
  bool operator==(const InstructionCounts&) const = default;
};

int64_t issued(const InstructionCounts& counts);  // of all classes; 0: nothing was counted

}  // namespace assay
#pragma GCC visibility pop
