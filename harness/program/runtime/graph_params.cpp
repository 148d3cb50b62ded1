// The work of nodes, asked and changed: in a graph, and in one that is instantiated of it.
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/graph.h"
#include "harness/program/runtime/graph_work.h"

namespace assay::program {
namespace {

constexpr int kAccessPolicyWindow = 1, kCooperative = 2, kPriority = 8;  // of cudaLaunchAttributeID

// `read` gets the work of a node, if it is of this kind.
template <class Kind, class Read>
cudaError_t get(const char* name, cudaGraphNode_t node, const void* out, Read read) {
  return call(name, [&](GpuProcess&) {
    const auto* const work = node == nullptr ? nullptr : std::get_if<Kind>(&node->work);
    if (work == nullptr || out == nullptr) return cudaErrorInvalidValue;
    read(*work);
    return cudaSuccess;
  });
}

// A node keeps its type, and a kernel what its attributes say.
cudaError_t replace(CUgraphNode_st* node, MadeWork work) {
  if (node == nullptr) return cudaErrorInvalidValue;
  if (!work) return work.error();
  if (work->index() != node->work.index()) return cudaErrorInvalidValue;
  if (auto* const kernel = std::get_if<KernelWork>(&*work)) kernel->blocks = std::get<KernelWork>(node->work).blocks;
  node->work = std::move(*work);
  return cudaSuccess;
}

template <class Make>
cudaError_t set(const char* name, cudaGraphNode_t node, Make make) {
  return call(name, [&](GpuProcess&) { return replace(node, make()); });
}

template <class Make>
cudaError_t set(const char* name, cudaGraphExec_t exec, cudaGraphNode_t node, Make make) {
  return call(name, [&](GpuProcess&) {
    if (exec == nullptr || node == nullptr) return cudaErrorInvalidValue;
    return replace(find_in_copy(*exec->graph, *node), make());
  });
}

}  // namespace

ASSAY_EXPORTED cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  return get<KernelWork>("cudaGraphKernelNodeGetParams", node, params,
                         [&](const auto& work) { *params = params_of(work); });
}
ASSAY_EXPORTED cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  return set("cudaGraphKernelNodeSetParams", node, [&] { return work_of(params); });
}
ASSAY_EXPORTED cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                            const cudaKernelNodeParams* params) {
  return set("cudaGraphExecKernelNodeSetParams", exec, node, [&] { return work_of(params); });
}

ASSAY_EXPORTED cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params) {
  return get<CopyWork>("cudaGraphMemcpyNodeGetParams", node, params, [&](const auto& work) { *params = work.params; });
}
ASSAY_EXPORTED cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  return set("cudaGraphMemcpyNodeSetParams", node, [&] { return work_of(params); });
}
ASSAY_EXPORTED cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                            const cudaMemcpy3DParms* params) {
  return set("cudaGraphExecMemcpyNodeSetParams", exec, node, [&] { return work_of(params); });
}
ASSAY_EXPORTED cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                                          size_t bytes, cudaMemcpyKind kind) {
  return set("cudaGraphMemcpyNodeSetParams1D", node, [&]() -> MadeWork { return linear_copy(to, from, bytes, kind); });
}
ASSAY_EXPORTED cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                                              const void* from, size_t bytes, cudaMemcpyKind kind) {
  return set("cudaGraphExecMemcpyNodeSetParams1D", exec, node,
             [&]() -> MadeWork { return linear_copy(to, from, bytes, kind); });
}

ASSAY_EXPORTED cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params) {
  return get<SetWork>("cudaGraphMemsetNodeGetParams", node, params, [&](const auto& work) { *params = work.params; });
}
ASSAY_EXPORTED cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params) {
  return set("cudaGraphMemsetNodeSetParams", node, [&] { return work_of(params); });
}
ASSAY_EXPORTED cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                            const cudaMemsetParams* params) {
  return set("cudaGraphExecMemsetNodeSetParams", exec, node, [&] { return work_of(params); });
}

ASSAY_EXPORTED cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params) {
  return get<HostWork>("cudaGraphHostNodeGetParams", node, params, [&](const auto& work) { *params = work.params; });
}
ASSAY_EXPORTED cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* params) {
  return set("cudaGraphHostNodeSetParams", node, [&] { return work_of(params); });
}
ASSAY_EXPORTED cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                          const cudaHostNodeParams* params) {
  return set("cudaGraphExecHostNodeSetParams", exec, node, [&] { return work_of(params); });
}

ASSAY_EXPORTED cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return get<ChildWork>("cudaGraphChildGraphNodeGetGraph", node, graph,
                        [&](const auto& work) { *graph = work.graph.get(); });
}
ASSAY_EXPORTED cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* params) {
  return get<AllocateWork>("cudaGraphMemAllocNodeGetParams", node, params,
                           [&](const auto& work) { *params = work.params; });
}
ASSAY_EXPORTED cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* memory) {
  return get<FreeWork>("cudaGraphMemFreeNodeGetParams", node, memory,
                       [&](const auto& work) { *static_cast<void**>(memory) = work.memory; });
}
ASSAY_EXPORTED cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get<EventRecordWork>("cudaGraphEventRecordNodeGetEvent", node, event,
                              [&](const auto& work) { *event = work.event; });
}
ASSAY_EXPORTED cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get<EventWaitWork>("cudaGraphEventWaitNodeGetEvent", node, event,
                            [&](const auto& work) { *event = work.event; });
}
ASSAY_EXPORTED cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set("cudaGraphEventRecordNodeSetEvent", node, [&]() -> MadeWork { return EventRecordWork{event}; });
}
ASSAY_EXPORTED cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set("cudaGraphEventWaitNodeSetEvent", node, [&]() -> MadeWork { return EventWaitWork{event}; });
}
ASSAY_EXPORTED cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                                cudaEvent_t event) {
  return set("cudaGraphExecEventRecordNodeSetEvent", exec, node, [&]() -> MadeWork { return EventRecordWork{event}; });
}
ASSAY_EXPORTED cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                              cudaEvent_t event) {
  return set("cudaGraphExecEventWaitNodeSetEvent", exec, node, [&]() -> MadeWork { return EventWaitWork{event}; });
}

ASSAY_EXPORTED cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  if (node == nullptr) return cudaErrorInvalidValue;
  return set("cudaGraphNodeSetParams", node, [&] { return work_of(*node->graph, params); });
}
ASSAY_EXPORTED cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                      cudaGraphNodeParams* params) {
  if (node == nullptr) return cudaErrorInvalidValue;
  return set("cudaGraphExecNodeSetParams", exec, node, [&] { return work_of(*node->graph, params); });
}

// Priorities and windows of the cache change no result.
ASSAY_EXPORTED cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int attribute, const void* value) {
  return call("cudaGraphKernelNodeSetAttribute", [&](GpuProcess&) {
    auto* const work = node == nullptr ? nullptr : std::get_if<KernelWork>(&node->work);
    if (work == nullptr || value == nullptr) return cudaErrorInvalidValue;
    if (attribute == kAccessPolicyWindow || attribute == kPriority) return cudaSuccess;
    if (attribute != kCooperative) return cudaErrorNotSupported;
    work->blocks = *static_cast<const int*>(value) != 0 ? Blocks::cooperative : Blocks::independent;
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, int attribute, void* value) {
  if (attribute != kCooperative)
    return call("cudaGraphKernelNodeGetAttribute", [](GpuProcess&) { return cudaErrorNotSupported; });
  return get<KernelWork>("cudaGraphKernelNodeGetAttribute", node, value, [&](const auto& work) {
    *static_cast<int*>(value) = work.blocks == Blocks::cooperative ? 1 : 0;
  });
}
ASSAY_EXPORTED cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return get<KernelWork>("cudaGraphKernelNodeCopyAttributes", from, to, [&](const auto& work) {
    if (auto* const other = std::get_if<KernelWork>(&to->work)) other->blocks = work.blocks;
  });
}

}  // namespace assay::program
