// A file that `assay c++` has compiled registers this before main: its kernels, its variables and its device code. Its
// assembly has it as numbers and addresses (harness/cxx/host_assembly.h).
#pragma once

#include <cstdint>

namespace assay::program {

struct SourceDescription {
  static constexpr uint64_t kIsRelocatable = 1;  // its device code is linked with that of the library's other files
  static constexpr uint64_t kTellsHost = 2;      // its kernels may, by atomic or volatile accesses
  struct Kernel {
    const void* host_function;  // null behind the last
    const char* name;           // its symbol
  };
  struct Variable {
    const void* host_variable;  // null behind the last
    const char* name;
    uint64_t bytes;
  };
  uint64_t version;  // of this structure: 1
  uint64_t flags;    // kIsRelocatable, kTellsHost
  const char *code, *code_end;
  const void* library;  // the program or library that it is part of
  const Kernel* kernels;
  const Variable* variables;
};

}  // namespace assay::program
