// A graph: nodes with work, and which of them wait for which. A runnable graph is a copy of one, in an order.
#pragma once

#include <memory>
#include <tl/expected.hpp>
#include <vector>

#include "harness/program/runtime/streams.h"
#include "harness/program/runtime/work.h"

struct CUgraphNode_st {
  CUgraph_st* graph = nullptr;
  uint64_t id = 0;         // no other node of the process has it
  uint64_t copied_of = 0;  // the id of the node that this one was copied from; 0: of none
  const char* name = "";   // the call that made it
  assay::program::Work work = {};
  assay::program::Nodes dependencies = {}, dependents = {};
  bool is_enabled = true;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes = {};  // in the order in which they were made
};

struct CUgraphExec_st {
  std::unique_ptr<CUgraph_st> graph;
  unsigned long long flags = 0;
  assay::program::Clock done = {};   // when its last launch is (stream_order.h)
  std::vector<uint32_t> lines = {};  // of its nodes, on the clocks
};

namespace assay::program {

// A new node that waits for these. Errors: one of them is another graph's, or is there twice.
tl::expected<CUgraphNode_st*, cudaError_t> add_node(CUgraph_st& graph, const char* name, Work work,
                                                    const cudaGraphNode_t* dependencies, size_t count);
// Makes `to` wait for `from`. Errors: they are not of one graph, or it does already.
cudaError_t add_edge(CUgraphNode_st* from, CUgraphNode_st* to);
// Errors: it does not wait for it.
cudaError_t remove_edge(CUgraphNode_st* from, CUgraphNode_st* to);
// Takes a node out of its graph, with its edges.
void remove_node(CUgraphNode_st* node);

std::unique_ptr<CUgraph_st> copy_of(const CUgraph_st& graph);
// The node of a copy that was made of `original`, also in graphs that are nodes of it; null: there is none.
CUgraphNode_st* find_in_copy(CUgraph_st& copy, const CUgraphNode_st& original);

// Puts the nodes into an order in which each comes after those that it waits for: the order in which they were made,
// or, under a schedule other than 0, one that the schedule draws. False: they wait for each other in a circle.
bool sort_nodes(CUgraph_st& graph);
// Runs the nodes one after another. Errors: of the first node that fails, at which the rest is dropped.
cudaError_t run_nodes(const CUgraph_st& graph);

// CUDA 12 has forms without edge data under the names that CUDA 13 gives those with it: a number of edges stands where
// these have a pointer, and is too small to be one.
inline bool is_count(const void* pointer) {
  constexpr uintptr_t kAddressMin = 65536;
  return pointer != nullptr && reinterpret_cast<uintptr_t>(pointer) < kAddressMin;
}

// The graphs that belong to a node.
std::vector<std::shared_ptr<CUgraph_st>*> graphs_of(CUgraphNode_st& node);

// Calls `visit` with each node, also of graphs that belong to nodes.
template <class Visit>
void for_each_node(CUgraph_st& graph, Visit visit) {
  for (const auto& node : graph.nodes) {
    visit(*node);
    for (const std::shared_ptr<CUgraph_st>* const own : graphs_of(*node)) for_each_node(**own, visit);
  }
}

}  // namespace assay::program
