// Graphs that a program builds: nodes and edges.
#include <algorithm>

#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/graph.h"
#include "harness/program/runtime/graph_work.h"
#include "harness/program/runtime/symbol_address.h"

namespace assay::program {
namespace {

// `make` returns the work.
template <class Make>
cudaError_t add(const char* name, cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                size_t count, Make make) {
  return call(name, [&](GpuProcess&) -> cudaError_t {
    if (node == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    MadeWork work = make();
    if (!work) return work.error();
    const auto added = add_node(*graph, name, std::move(*work), dependencies, count);
    if (added) *node = *added;
    return added ? cudaSuccess : added.error();
  });
}

MadeWork with_event(cudaEvent_t event, const Work& work) {
  if (event == nullptr) return tl::unexpected(cudaErrorInvalidValue);
  return work;
}

// An edge that begins at a part of a kernel, or programmatically, orders less than is tried here.
cudaError_t with_edges(const char* name, cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                       const cudaGraphEdgeData* edges, size_t count,
                       cudaError_t (*change)(CUgraphNode_st*, CUgraphNode_st*)) {
  return call(name, [&](GpuProcess&) {
    if (is_count(edges)) count = reinterpret_cast<uintptr_t>(edges);
    if (graph == nullptr || (count != 0 && (from == nullptr || to == nullptr))) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i)
      if (const cudaError_t error = change(from[i], to[i]); error != cudaSuccess) return error;
    return cudaSuccess;
  });
}

}  // namespace

ASSAY_EXPORTED cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return call("cudaGraphCreate", [&](GpuProcess&) {
    if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
    *graph = new CUgraph_st;
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call("cudaGraphDestroy", [&](GpuProcess&) {
    delete graph;
    return graph == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return call("cudaGraphClone", [&](GpuProcess&) -> cudaError_t {
    if (clone == nullptr) return cudaErrorInvalidValue;
    const MadeWork copy = child_work(original);
    if (!copy) return copy.error();
    *clone = copy_of(*original).release();
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                                    cudaGraph_t clone) {
  return call("cudaGraphNodeFindInClone", [&](GpuProcess&) {
    if (node == nullptr || original == nullptr || clone == nullptr) return cudaErrorInvalidValue;
    *node = find_in_copy(*clone, *original);
    return *node == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}

ASSAY_EXPORTED cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* dependencies, size_t count,
                                                  const cudaKernelNodeParams* params) {
  return add("cudaGraphAddKernelNode", node, graph, dependencies, count, [&] { return work_of(params); });
}
ASSAY_EXPORTED cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* dependencies, size_t count,
                                                  const cudaMemcpy3DParms* params) {
  return add("cudaGraphAddMemcpyNode", node, graph, dependencies, count, [&] { return work_of(params); });
}
ASSAY_EXPORTED cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                                    const cudaGraphNode_t* dependencies, size_t count, void* to,
                                                    const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNode1D", node, graph, dependencies, count,
             [&]() -> MadeWork { return linear_copy(to, from, bytes, kind); });
}
ASSAY_EXPORTED cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                          const cudaGraphNode_t* dependencies, size_t count,
                                                          const void* symbol, const void* from, size_t bytes,
                                                          size_t offset, cudaMemcpyKind) {
  constexpr const char* kName = "cudaGraphAddMemcpyNodeToSymbol";
  return add(kName, node, graph, dependencies, count, [&]() -> MadeWork {
    const auto to = symbol_address(GpuProcess::get(), kName, symbol, bytes, offset);
    if (!to) return tl::unexpected(to.error());
    return linear_copy(*to, from, bytes, cudaMemcpyDefault);
  });
}
ASSAY_EXPORTED cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                            const cudaGraphNode_t* dependencies, size_t count, void* to,
                                                            const void* symbol, size_t bytes, size_t offset,
                                                            cudaMemcpyKind) {
  constexpr const char* kName = "cudaGraphAddMemcpyNodeFromSymbol";
  return add(kName, node, graph, dependencies, count, [&]() -> MadeWork {
    const auto from = symbol_address(GpuProcess::get(), kName, symbol, bytes, offset);
    if (!from) return tl::unexpected(from.error());
    return linear_copy(to, *from, bytes, cudaMemcpyDefault);
  });
}
ASSAY_EXPORTED cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* dependencies, size_t count,
                                                  const cudaMemsetParams* params) {
  return add("cudaGraphAddMemsetNode", node, graph, dependencies, count, [&] { return work_of(params); });
}
ASSAY_EXPORTED cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                const cudaGraphNode_t* dependencies, size_t count,
                                                const cudaHostNodeParams* params) {
  return add("cudaGraphAddHostNode", node, graph, dependencies, count, [&] { return work_of(params); });
}
ASSAY_EXPORTED cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                      const cudaGraphNode_t* dependencies, size_t count,
                                                      cudaGraph_t child) {
  return add("cudaGraphAddChildGraphNode", node, graph, dependencies, count, [&] { return child_work(child); });
}
ASSAY_EXPORTED cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                 const cudaGraphNode_t* dependencies, size_t count) {
  return add("cudaGraphAddEmptyNode", node, graph, dependencies, count, []() -> MadeWork { return EmptyWork{}; });
}
ASSAY_EXPORTED cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                       const cudaGraphNode_t* dependencies, size_t count,
                                                       cudaEvent_t event) {
  return add("cudaGraphAddEventRecordNode", node, graph, dependencies, count,
             [&] { return with_event(event, EventRecordWork{event}); });
}
ASSAY_EXPORTED cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                     const cudaGraphNode_t* dependencies, size_t count,
                                                     cudaEvent_t event) {
  return add("cudaGraphAddEventWaitNode", node, graph, dependencies, count,
             [&] { return with_event(event, EventWaitWork{event}); });
}
ASSAY_EXPORTED cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                    const cudaGraphNode_t* dependencies, size_t count,
                                                    cudaMemAllocNodeParams* params) {
  return add("cudaGraphAddMemAllocNode", node, graph, dependencies, count, [&] { return allocate_work(params); });
}
ASSAY_EXPORTED cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                   const cudaGraphNode_t* dependencies, size_t count, void* memory) {
  return add("cudaGraphAddMemFreeNode", node, graph, dependencies, count, [&] { return free_work(*graph, memory); });
}

// In CUDA 12's form the number stands where the edges are here, and the parameters where the number is.
ASSAY_EXPORTED cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                            const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* edges,
                                            size_t count, cudaGraphNodeParams* params) {
  if (is_count(edges) || (edges == nullptr && !is_count(reinterpret_cast<void*>(count)) && count != 0)) {
    params = reinterpret_cast<cudaGraphNodeParams*>(count);
    count = reinterpret_cast<uintptr_t>(edges);
  }
  return add("cudaGraphAddNode", node, graph, dependencies, count, [&] { return work_of(*graph, params); });
}
ASSAY_PER_THREAD(cudaGraphAddNode, _v2);

ASSAY_EXPORTED cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                    const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                                    size_t count) {
  return with_edges("cudaGraphAddDependencies", graph, from, to, edges, count, add_edge);
}
ASSAY_PER_THREAD(cudaGraphAddDependencies, _v2);
ASSAY_EXPORTED cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                       const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                                       size_t count) {
  return with_edges("cudaGraphRemoveDependencies", graph, from, to, edges, count, remove_edge);
}
ASSAY_PER_THREAD(cudaGraphRemoveDependencies, _v2);
ASSAY_EXPORTED cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return call("cudaGraphDestroyNode", [&](GpuProcess&) {
    if (node == nullptr) return cudaErrorInvalidValue;
    if (std::holds_alternative<AllocateWork>(node->work) || std::holds_alternative<FreeWork>(node->work))
      return cudaErrorNotSupported;
    remove_node(node);
    return cudaSuccess;
  });
}

}  // namespace assay::program
