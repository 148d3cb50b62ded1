// Questions about a graph: which nodes and edges it has, and a picture of them.
#include <fmt/format.h>

#include <algorithm>

#include "harness/base/write_file.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/graph.h"
#include "harness/program/runtime/modules.h"

namespace assay::program {
namespace {

// Without room for an answer, how many there are; else as many as there is room for, and null pointers behind them.
cudaError_t give(const Nodes& all, cudaGraphNode_t* out, size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (out == nullptr) {
    *count = all.size();
    return cudaSuccess;
  }
  for (size_t i = 0; i < *count; ++i) out[i] = i < all.size() ? all[i] : nullptr;
  *count = std::min(*count, all.size());
  return cudaSuccess;
}

template <class IsWanted>
Nodes nodes_of(const CUgraph_st& graph, IsWanted is_wanted) {
  Nodes nodes;
  for (const auto& node : graph.nodes)
    if (is_wanted(*node)) nodes.push_back(node.get());
  return nodes;
}

// Every edge is a plain one.
void give_plain(cudaGraphEdgeData* edges, const size_t* count) {
  if (edges != nullptr) std::fill_n(edges, *count, cudaGraphEdgeData{});
}

const char* text_of(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "kernel";
    case cudaGraphNodeTypeMemcpy:
      return "copy";
    case cudaGraphNodeTypeMemset:
      return "set";
    case cudaGraphNodeTypeHost:
      return "host function";
    case cudaGraphNodeTypeGraph:
      return "graph";
    case cudaGraphNodeTypeEmpty:
      return "empty";
    case cudaGraphNodeTypeWaitEvent:
      return "event wait";
    case cudaGraphNodeTypeEventRecord:
      return "event record";
    case cudaGraphNodeTypeMemAlloc:
      return "allocation";
    case cudaGraphNodeTypeMemFree:
      return "free";
    case cudaGraphNodeTypeConditional:
      return "conditional";
  }
  return "";
}

std::string label_of(const CUgraphNode_st& node) {
  const auto* const kernel = std::get_if<KernelWork>(&node.work);
  const RegisteredKernel* const known = kernel == nullptr ? nullptr : Modules::get().kernel_of(kernel->function);
  return known == nullptr ? text_of(type_of(node.work)) : readable(known->name);
}

}  // namespace

ASSAY_EXPORTED cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call("cudaGraphNodeGetType", [&](GpuProcess&) {
    if (node == nullptr || type == nullptr) return cudaErrorInvalidValue;
    *type = type_of(node->work);
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return call("cudaGraphGetNodes", [&](GpuProcess&) {
    if (graph == nullptr) return cudaErrorInvalidValue;
    return give(nodes_of(*graph, [](const CUgraphNode_st&) { return true; }), nodes, count);
  });
}
ASSAY_EXPORTED cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return call("cudaGraphGetRootNodes", [&](GpuProcess&) {
    if (graph == nullptr) return cudaErrorInvalidValue;
    return give(nodes_of(*graph, [](const CUgraphNode_st& node) { return node.dependencies.empty(); }), nodes, count);
  });
}
ASSAY_EXPORTED cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                             cudaGraphEdgeData* edges, size_t* count) {
  return call("cudaGraphGetEdges", [&](GpuProcess&) {
    if (graph == nullptr || count == nullptr || (from == nullptr) != (to == nullptr)) return cudaErrorInvalidValue;
    Nodes begins, ends;
    for (const auto& node : graph->nodes)
      for (CUgraphNode_st* const each : node->dependencies) begins.push_back(each), ends.push_back(node.get());
    size_t also = *count;
    give(begins, from, count), give(ends, to, &also);
    if (from != nullptr) give_plain(edges, count);
    return cudaSuccess;
  });
}
ASSAY_PER_THREAD(cudaGraphGetEdges, _v2);
ASSAY_EXPORTED cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                        cudaGraphEdgeData* edges, size_t* count) {
  return call("cudaGraphNodeGetDependencies", [&](GpuProcess&) {
    if (node == nullptr || count == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = give(node->dependencies, nodes, count);
    if (nodes != nullptr) give_plain(edges, count);
    return error;
  });
}
ASSAY_PER_THREAD(cudaGraphNodeGetDependencies, _v2);
ASSAY_EXPORTED cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                          cudaGraphEdgeData* edges, size_t* count) {
  return call("cudaGraphNodeGetDependentNodes", [&](GpuProcess&) {
    if (node == nullptr || count == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = give(node->dependents, nodes, count);
    if (nodes != nullptr) give_plain(edges, count);
    return error;
  });
}
ASSAY_PER_THREAD(cudaGraphNodeGetDependentNodes, _v2);

// In the language of Graphviz.
ASSAY_EXPORTED cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  return call("cudaGraphDebugDotPrint", [&](GpuProcess&) {
    if (graph == nullptr || path == nullptr) return cudaErrorInvalidValue;
    std::string text = "digraph graph_1 {\n";
    for (const auto& node : graph->nodes)
      text += fmt::format("  node_{} [shape=box label=\"{}\"];\n", node->id, label_of(*node));
    for (const auto& node : graph->nodes)
      for (const CUgraphNode_st* const after : node->dependents)
        text += fmt::format("  node_{} -> node_{};\n", node->id, after->id);
    return write_file(path, text + "}\n") ? cudaSuccess : cudaErrorInvalidValue;
  });
}

}  // namespace assay::program
