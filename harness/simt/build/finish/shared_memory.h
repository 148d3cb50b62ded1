// Makes plain memory of shared memory.
//
// `__shared__` is thread_local to the compiler, the one keyword that is right both in a function and behind `extern`.
// But kernels of a process run on one OS thread, and the loader has room for few thread-locals in libraries that are
// loaded late. So every thread-local of a kernel file becomes a plain variable: an array without an initial value goes
// to the section assay_shared, one that has one to plain data, and every undefined name of `extern __shared__` becomes
// the module's buffer of dynamic shared memory.
//
// Compiled with -fPIC -ftls-model=initial-exec, an access loads a variable's offset from the global offset table and
// adds the thread pointer, in a memory operand (%fs:) or from %fs:0. Here the table holds its address, and what is
// added is 0. Limits: x86-64 and AArch64; any other way to a thread-local is refused. Thread-locals of the host code of
// a kernel file become plain variables too. Those of the C++ library stay what they are.
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "harness/simt/build/finish/assembly.h"

namespace assay::simt::finish {

struct SharedArray {
  std::string_view name;
  uint64_t bytes = 0;
  uint64_t alignment = 1;
  bool is_guard = false;  // "has it been constructed": no shared memory
};

struct SharedMemory {
  std::vector<SharedArray> arrays;
  // The arrays that the code of each function names, by their places above.
  std::unordered_map<std::string_view, std::set<size_t>> used_by;
  std::string error;  // what is not understood, with its line; empty if all is well
};

SharedMemory make_shared_memory_plain(Assembly& assembly);

// The definitions of the arrays and of the module's dynamic shared memory, `gap` bytes behind each.
std::string definitions_of(const SharedMemory& memory, uint64_t gap);

}  // namespace assay::simt::finish
