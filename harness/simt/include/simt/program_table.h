// The table of a kernel module for a program that launches kernels by their names, with arguments as an array of
// pointers, as cudaLaunchKernel takes them.
#pragma once

#include <cstddef>

#include "harness/simt/include/simt/launch.h"

namespace assay::simt {

// Launches a kernel in the current context; `arguments` has the address of each parameter's value.
using StartKernel = void (*)(const Launch& launch, void** arguments);

struct ProgramKernel {
  const char* name = nullptr;  // as PTX has it; null behind the last
  StartKernel start = nullptr;
  const size_t* sizes = nullptr;  // of its parameters, in bytes
  const size_t* alignments = nullptr;
  size_t parameters = 0;
  const void* function = nullptr;  // as kernels that launch it name it
  bool is_observed = false;  // it prints, allocates or looks at a clock: running it again is no repetition
  FunctionFacts facts = {};
};

struct ProgramVariable {
  const char* name = nullptr;  // as PTX has it; null behind the last
  void* address = nullptr;
  size_t bytes = 0;
  bool is_shared = false;  // by kernels, or with the host: there may be one of it only
};

// `assay_program_module` of the library.
struct ProgramModule {
  const ProgramKernel* kernels;
  const ProgramVariable* variables;
};

}  // namespace assay::simt
