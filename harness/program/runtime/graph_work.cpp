// From CUDA's structures to work, and what these must hold.
#include "harness/program/runtime/graph_work.h"

#include <algorithm>

#include "harness/program/runtime/conditional_nodes.h"
#include "harness/program/runtime/graph.h"
#include "harness/program/runtime/launch.h"

namespace assay::program {
namespace {

bool has_memory_nodes(CUgraph_st& graph) {
  bool has = false;
  for_each_node(graph, [&](const CUgraphNode_st& node) {
    has |= std::holds_alternative<AllocateWork>(node.work) || std::holds_alternative<FreeWork>(node.work);
  });
  return has;
}

}  // namespace

MadeWork work_of(const cudaKernelNodeParams* params) {
  if (params == nullptr) return tl::unexpected(cudaErrorInvalidValue);
  std::vector<void*> packed;
  void** arguments = params->kernelParams;
  if (arguments == nullptr && params->extra != nullptr) {
    auto found = packed_arguments(params->func, params->extra);
    if (!found) return tl::unexpected(found.error());
    packed = std::move(*found), arguments = packed.data();
  }
  return kernel_work(GpuProcess::get(), params->func, {params->gridDim, params->blockDim, params->sharedMemBytes},
                     arguments, Blocks::independent);
}

MadeWork work_of(const cudaMemcpy3DParms* params) {
  if (params == nullptr) return tl::unexpected(cudaErrorInvalidValue);
  return CopyWork{*params};
}

MadeWork work_of(const cudaMemsetParams* params) {
  if (params == nullptr || params->dst == nullptr ||
      (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
    return tl::unexpected(cudaErrorInvalidValue);
  return SetWork{*params};
}

MadeWork work_of(const cudaHostNodeParams* params) {
  if (params == nullptr || params->fn == nullptr) return tl::unexpected(cudaErrorInvalidValue);
  return HostWork{*params};
}

// A graph with memory of its own cannot be there twice, because its addresses cannot.
MadeWork child_work(cudaGraph_t graph) {
  if (graph == nullptr) return tl::unexpected(cudaErrorInvalidValue);
  if (has_memory_nodes(*graph)) return tl::unexpected(cudaErrorNotSupported);
  return ChildWork{copy_of(*graph)};
}

MadeWork allocate_work(cudaMemAllocNodeParams* params) {
  if (params == nullptr || params->bytesize == 0) return tl::unexpected(cudaErrorInvalidValue);
  params->dptr = GpuProcess::get().reserve(params->bytesize, "cudaGraphAddMemAllocNode");
  if (params->dptr == nullptr) return tl::unexpected(cudaErrorMemoryAllocation);
  return AllocateWork{*params};
}

MadeWork free_work(const CUgraph_st& graph, void* memory) {
  const bool is_freed = std::ranges::any_of(graph.nodes, [&](const auto& node) {
    const auto* const before = std::get_if<FreeWork>(&node->work);
    return before != nullptr && before->memory == memory;
  });
  if (is_freed || !GpuProcess::get().is_reserved(memory)) return tl::unexpected(cudaErrorInvalidValue);
  return FreeWork{memory};
}

MadeWork work_of(const CUgraph_st& graph, cudaGraphNodeParams* params) {
  if (params == nullptr) return tl::unexpected(cudaErrorInvalidValue);
  switch (params->type) {
    case cudaGraphNodeTypeKernel:
      return work_of(&params->kernel);
    case cudaGraphNodeTypeMemcpy:
      return work_of(&params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return work_of(&params->memset);
    case cudaGraphNodeTypeHost:
      return work_of(&params->host);
    case cudaGraphNodeTypeGraph:
      return child_work(params->graph);
    case cudaGraphNodeTypeEmpty:
      return EmptyWork{};
    case cudaGraphNodeTypeWaitEvent:
      return EventWaitWork{params->event};
    case cudaGraphNodeTypeEventRecord:
      return EventRecordWork{params->event};
    case cudaGraphNodeTypeMemAlloc:
      return allocate_work(&params->alloc);
    case cudaGraphNodeTypeMemFree:
      return free_work(graph, params->free);
    case cudaGraphNodeTypeConditional:
      return conditional_work(&params->conditional);
  }
  return tl::unexpected(cudaErrorNotSupported);
}

cudaKernelNodeParams params_of(const KernelWork& work) {
  return {.func = const_cast<void*>(work.function),
          .gridDim = work.shape.grid,
          .blockDim = work.shape.block,
          .sharedMemBytes = static_cast<unsigned>(work.shape.shared_bytes),
          .kernelParams = work.arguments->pointers.data(),
          .extra = nullptr};
}

}  // namespace assay::program
