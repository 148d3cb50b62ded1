// Work of nodes, from the structures that programs describe it with.
#pragma once

#include <tl/expected.hpp>

#include "harness/program/runtime/work.h"

namespace assay::program {

using MadeWork = tl::expected<Work, cudaError_t>;

// Errors of all: what is described cannot be done, or by no call of CUDA. The caller holds the process's lock.
MadeWork work_of(const cudaKernelNodeParams* params);
MadeWork work_of(const cudaMemcpy3DParms* params);
MadeWork work_of(const cudaMemsetParams* params);
MadeWork work_of(const cudaHostNodeParams* params);
MadeWork child_work(cudaGraph_t graph);
// Reserves the address, and leaves it in `params`.
MadeWork allocate_work(cudaMemAllocNodeParams* params);
// `graph`: which must not free the memory already.
MadeWork free_work(const CUgraph_st& graph, void* memory);
// The work that a structure for any type of node describes; `graph`: that the node is for.
MadeWork work_of(const CUgraph_st& graph, cudaGraphNodeParams* params);

// How a program reads a kernel's launch.
cudaKernelNodeParams params_of(const KernelWork& work);

}  // namespace assay::program
