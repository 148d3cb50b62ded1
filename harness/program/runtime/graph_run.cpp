// Graphs that are run: instantiated, updated, launched; and the memory that they allocate.
#include <algorithm>

#include "harness/program/runtime/capture.h"
#include "harness/program/runtime/conditional_nodes.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/graph.h"
#include "harness/program/runtime/graph_work.h"

namespace assay::program {
namespace {

constexpr unsigned long long kKnownFlags = 15;

cudaError_t instantiate(const char* name, cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return call(name, [&](GpuProcess&) {
    if (exec == nullptr || graph == nullptr || (flags & ~kKnownFlags) != 0) return cudaErrorInvalidValue;
    if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) return cudaErrorNotSupported;
    auto made = std::make_unique<CUgraphExec_st>(CUgraphExec_st{.graph = copy_of(*graph), .flags = flags});
    if (!sort_nodes(*made->graph)) return cudaErrorInvalidValue;
    follow_streams();
    *exec = made.release();
    return cudaSuccess;
  });
}

// In the order in which the nodes of the graph were made.
Nodes by_age(const CUgraph_st& graph) {
  Nodes nodes;
  for (const auto& node : graph.nodes) nodes.push_back(node.get());
  std::ranges::sort(nodes, {}, &CUgraphNode_st::id);
  return nodes;
}

std::vector<size_t> places_of(const Nodes& some, const Nodes& all) {
  std::vector<size_t> places;
  for (const CUgraphNode_st* const each : some)
    places.push_back(static_cast<size_t>(std::ranges::find(all, each) - all.begin()));
  std::ranges::sort(places);
  return places;
}

// The nodes of a runnable graph do what those of another do that has its form. Nothing is changed where it has not.
cudaGraphExecUpdateResultInfo update(CUgraph_st& exec, const CUgraph_st& graph, bool is_done) {
  const Nodes old = by_age(exec), given = by_age(graph);
  if (old.size() != given.size()) return {cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
  for (size_t i = 0; i < old.size(); ++i) {
    if (old[i]->work.index() != given[i]->work.index())
      return {cudaGraphExecUpdateErrorNodeTypeChanged, given[i], nullptr};
    if (!is_done && places_of(old[i]->dependencies, old) != places_of(given[i]->dependencies, given))
      return {cudaGraphExecUpdateErrorTopologyChanged, given[i], nullptr};
    const auto own = graphs_of(*old[i]), others = graphs_of(*given[i]);
    if (own.size() != others.size()) return {cudaGraphExecUpdateErrorParametersChanged, given[i], nullptr};
    for (size_t k = 0; k < own.size(); ++k)
      if (const auto result = update(**own[k], **others[k], is_done); result.result != cudaGraphExecUpdateSuccess)
        return result;
    if (own.empty() && is_done) {
      old[i]->work = given[i]->work;
    }
  }
  return {cudaGraphExecUpdateSuccess, nullptr, nullptr};
}

// Memory that an earlier launch has left: it is freed if the graph is made so, else the launch fails.
cudaError_t prepare_memory(GpuProcess& process, const CUgraphExec_st& exec) {
  for (const auto& node : exec.graph->nodes) {
    const auto* const work = std::get_if<AllocateWork>(&node->work);
    if (work == nullptr || process.allocation_of(work->params.dptr) == nullptr) continue;
    if ((exec.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) == 0) return cudaErrorInvalidValue;
    process.free(work->params.dptr, "cudaGraphLaunch");
  }
  return cudaSuccess;
}

}  // namespace

ASSAY_EXPORTED cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return instantiate("cudaGraphInstantiate", exec, graph, flags);
}
ASSAY_EXPORTED cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                         unsigned long long flags) {
  return instantiate("cudaGraphInstantiateWithFlags", exec, graph, flags);
}
ASSAY_EXPORTED cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                          cudaGraphInstantiateParams* params) {
  if (params == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error = instantiate("cudaGraphInstantiateWithParams", exec, graph, params->flags);
  params->errNode_out = nullptr;
  params->result_out = error == cudaSuccess             ? cudaGraphInstantiateSuccess
                       : error == cudaErrorNotSupported ? cudaGraphInstantiateNodeOperationNotSupported
                                                        : cudaGraphInstantiateInvalidStructure;
  return error;
}
ASSAY_PER_THREAD(cudaGraphInstantiateWithParams, _ptsz);
ASSAY_EXPORTED cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  if (exec == nullptr || flags == nullptr) return cudaErrorInvalidValue;
  *flags = exec->flags;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call("cudaGraphExecDestroy", [&](GpuProcess&) {
    if (exec != nullptr) graph_is_destroyed(*exec);
    delete exec;
    return exec == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}

ASSAY_EXPORTED cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return call("cudaGraphUpload",
              [&](GpuProcess&) { return exec == nullptr ? cudaErrorInvalidValue : check_stream(stream); });
}
ASSAY_PER_THREAD(cudaGraphUpload, _ptsz);

// The nodes run without the lock, which each takes for itself: a host function may wait for another thread.
ASSAY_EXPORTED cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (exec == nullptr) return call("cudaGraphLaunch", [](GpuProcess&) { return cudaErrorInvalidValue; });
  bool is_due = false;
  const cudaError_t error = ordered(
      "cudaGraphLaunch", stream,
      [&](GpuProcess& process) {
        const cudaError_t refused = prepare_memory(process, *exec);
        is_due = refused == cudaSuccess;
        if (is_due) begin_conditions(*exec->graph);
        return refused;
      },
      [&](GpuProcess&) { return child_work(exec->graph.get()); });
  if (!is_due) return error;
  GivenWork work("cudaGraphLaunch", stream);
  work.launches(*exec);
  return run_nodes(*exec->graph);
}
ASSAY_PER_THREAD(cudaGraphLaunch, _ptsz);

ASSAY_EXPORTED cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                               cudaGraphExecUpdateResultInfo* info) {
  return call("cudaGraphExecUpdate", [&](GpuProcess&) {
    if (exec == nullptr || graph == nullptr || info == nullptr) return cudaErrorInvalidValue;
    *info = update(*exec->graph, *graph, false);
    if (info->result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
    update(*exec->graph, *graph, true);
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                                cudaGraph_t graph) {
  return call("cudaGraphExecChildGraphNodeSetParams", [&](GpuProcess&) {
    if (exec == nullptr || node == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    CUgraphNode_st* const own = find_in_copy(*exec->graph, *node);
    const auto* const child = own == nullptr ? nullptr : std::get_if<ChildWork>(&own->work);
    if (child == nullptr || update(*child->graph, *graph, false).result != cudaGraphExecUpdateSuccess)
      return cudaErrorInvalidValue;
    update(*child->graph, *graph, true);
    return cudaSuccess;
  });
}

// Kernels, copies and sets can be left out of the launches of a runnable graph.
ASSAY_EXPORTED cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned is_enabled) {
  return call("cudaGraphNodeSetEnabled", [&](GpuProcess&) {
    if (exec == nullptr || node == nullptr) return cudaErrorInvalidValue;
    CUgraphNode_st* const own = find_in_copy(*exec->graph, *node);
    if (own == nullptr || type_of(own->work) > cudaGraphNodeTypeMemset) return cudaErrorInvalidValue;
    own->is_enabled = is_enabled != 0;
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* is_enabled) {
  return call("cudaGraphNodeGetEnabled", [&](GpuProcess&) {
    const CUgraphNode_st* const own = exec == nullptr || node == nullptr ? nullptr : find_in_copy(*exec->graph, *node);
    if (own == nullptr || is_enabled == nullptr) return cudaErrorInvalidValue;
    *is_enabled = own->is_enabled ? 1 : 0;
    return cudaSuccess;
  });
}

// By the numbers of cudaGraphMemAttributeType.
ASSAY_EXPORTED cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value) {
  return call("cudaDeviceGetGraphMemAttribute", [&](GpuProcess& process) {
    const GraphMemory& memory = process.graph_memory();
    const size_t values[] = {memory.kept, memory.kept_high, memory.kept, memory.kept_high};
    if (device != 0) return cudaErrorInvalidDevice;
    if (attribute < 0 || attribute > 3 || value == nullptr) return cudaErrorInvalidValue;
    *static_cast<uint64_t*>(value) = values[attribute];
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value) {
  return call("cudaDeviceSetGraphMemAttribute", [&](GpuProcess& process) {
    if (device != 0) return cudaErrorInvalidDevice;
    const bool is_high = attribute == 1 || attribute == 3;
    if (!is_high || value == nullptr || *static_cast<uint64_t*>(value) != 0) return cudaErrorInvalidValue;
    process.graph_memory().kept_high = process.graph_memory().kept;
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaDeviceGraphMemTrim(int device) {
  return call("cudaDeviceGraphMemTrim", [&](GpuProcess& process) {
    process.graph_memory().kept = process.graph_memory().used;
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

}  // namespace assay::program
