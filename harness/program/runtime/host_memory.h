// Tells the checker, while a launch runs, which memory is the program's own: its stack and its variables. What it has
// registered a kernel may access. Memory of malloc is known as what is nobody else's. The executor learns whether the
// host may answer a kernel that waits.
#pragma once

#include "harness/simt/include/simt/program_table.h"

namespace assay::program {

class HostMemory {
 public:
  // `frame`: above it are the frames of the program, except the launch's arguments and its shape.
  HostMemory(const simt::ProgramKernel& kernel, const simt::Launch& shape, void** arguments, const void* frame);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
};

}  // namespace assay::program
