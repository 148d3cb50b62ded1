// Launches that kernels make (dynamic parallelism): they wait until the launch that made them is done, and then run one
// after another. CUDA orders a child after what its parent's thread did before it, and makes no promise of when it runs
// beside the rest of the parent; a parent counts as done when its children are.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/simt/include/simt/launch.h"
#include "harness/simt/include/simt/program_table.h"

namespace assay::simt {

// A kernel with its arguments, or a copy within the device's memory where `kernel` is null.
struct ChildLaunch {
  const ProgramKernel* kernel = nullptr;
  Launch shape = {};
  char* arguments = nullptr;  // on the device's heap, one behind the other, each at its alignment
  void* to = nullptr;
  const void* from = nullptr;
  size_t bytes = 0;
};

#pragma GCC visibility push(default)
// Called by kernels. prepare_child returns child.arguments; launch_child gets that again, and returns a cudaError_t.
void* prepare_child(const ChildLaunch& child);
int launch_child(void* arguments);
void copy_as_child(void* to, const void* from, size_t bytes);

// Called by what launched the parent, once that is done: the child that is next, until there is none.
std::optional<ChildLaunch> take_child();
// The child has run, and its arguments are of no use any more.
void child_done(const ChildLaunch& child);
#pragma GCC visibility pop

}  // namespace assay::simt
