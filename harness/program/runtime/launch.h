// Launches, for what starts kernels: the runtime's calls, graphs, and the driver's API.
#pragma once

#include <tl/expected.hpp>

#include "harness/program/runtime/work.h"

namespace assay::program {

// Runs a kernel now; `function`: as Modules knows it. The caller holds the process's lock (call() of process.h).
cudaError_t launch(GpuProcess& process, const void* function, const simt::Launch& shape, void** arguments,
                   Blocks blocks);

// A launch for later, with copies of its arguments. Errors: there is no such kernel, or it cannot be compiled, which is
// logged.
tl::expected<KernelWork, cudaError_t> kernel_work(GpuProcess& process, const void* function, const simt::Launch& shape,
                                                  void** arguments, Blocks blocks);

// Runs a kernel, or records it where the stream captures. `name`: of the call.
cudaError_t launch_in(const char* name, cudaStream_t stream, const void* function, const simt::Launch& shape,
                      void** arguments, Blocks blocks);

// Whether blocks may wait for each other, by the attributes of a launch.
Blocks blocks_of(const cudaLaunchAttribute* attributes, unsigned count);

// Pointers to arguments that a caller has packed into one buffer, each at a multiple of its size. Errors: `extra` is
// not as CUDA describes it; an argument is a structure, of whose alignment nothing is known here.
tl::expected<std::vector<void*>, cudaError_t> packed_arguments(const void* function, void** extra);

}  // namespace assay::program
