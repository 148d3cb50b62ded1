// Nodes and edges.
#include "harness/program/runtime/graph.h"

#include <algorithm>
#include <map>

#include "harness/base/rng.h"
#include "harness/program/runtime/settings.h"
#include "harness/program/runtime/stream_order.h"

namespace assay::program {
namespace {

uint64_t next_id() {
  static uint64_t last = 0;
  return ++last;
}

bool has(const Nodes& nodes, const CUgraphNode_st* node) { return std::ranges::find(nodes, node) != nodes.end(); }

}  // namespace

tl::expected<CUgraphNode_st*, cudaError_t> add_node(CUgraph_st& graph, const char* name, Work work,
                                                    const cudaGraphNode_t* dependencies, size_t count) {
  if (count != 0 && dependencies == nullptr) return tl::unexpected(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i)
    if (dependencies[i] == nullptr || dependencies[i]->graph != &graph ||
        std::find(dependencies, dependencies + i, dependencies[i]) != dependencies + i)
      return tl::unexpected(cudaErrorInvalidValue);
  auto node = std::make_unique<CUgraphNode_st>();
  node->graph = &graph, node->id = next_id(), node->name = name, node->work = std::move(work);
  for (size_t i = 0; i < count; ++i) add_edge(dependencies[i], node.get());
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

cudaError_t add_edge(CUgraphNode_st* from, CUgraphNode_st* to) {
  if (from == nullptr || to == nullptr || from == to || from->graph != to->graph || has(to->dependencies, from))
    return cudaErrorInvalidValue;
  to->dependencies.push_back(from), from->dependents.push_back(to);
  return cudaSuccess;
}

cudaError_t remove_edge(CUgraphNode_st* from, CUgraphNode_st* to) {
  if (from == nullptr || to == nullptr || !has(to->dependencies, from)) return cudaErrorInvalidValue;
  std::erase(to->dependencies, from), std::erase(from->dependents, to);
  return cudaSuccess;
}

void remove_node(CUgraphNode_st* node) {
  for (CUgraphNode_st* const before : node->dependencies) std::erase(before->dependents, node);
  for (CUgraphNode_st* const after : node->dependents) std::erase(after->dependencies, node);
  std::erase_if(node->graph->nodes, [&](const auto& each) { return each.get() == node; });
}

std::vector<std::shared_ptr<CUgraph_st>*> graphs_of(CUgraphNode_st& node) {
  if (auto* const child = std::get_if<ChildWork>(&node.work)) return {&child->graph};
  std::vector<std::shared_ptr<CUgraph_st>*> graphs;
  if (auto* const conditional = std::get_if<ConditionalWork>(&node.work))
    for (auto& body : conditional->bodies) graphs.push_back(&body);
  return graphs;
}

std::unique_ptr<CUgraph_st> copy_of(const CUgraph_st& graph) {
  auto copy = std::make_unique<CUgraph_st>();
  std::map<const CUgraphNode_st*, CUgraphNode_st*> copies;
  for (const auto& node : graph.nodes) {
    auto& made = copy->nodes.emplace_back(std::make_unique<CUgraphNode_st>(*node));
    made->graph = copy.get(), made->id = next_id(), made->copied_of = node->id;
    for (std::shared_ptr<CUgraph_st>* const own : graphs_of(*made)) *own = copy_of(**own);
    copies[node.get()] = made.get();
  }
  for (const auto& node : copy->nodes) {
    for (CUgraphNode_st*& each : node->dependencies) each = copies.at(each);
    for (CUgraphNode_st*& each : node->dependents) each = copies.at(each);
  }
  return copy;
}

CUgraphNode_st* find_in_copy(CUgraph_st& copy, const CUgraphNode_st& original) {
  CUgraphNode_st* found = nullptr;
  for_each_node(copy, [&](CUgraphNode_st& node) {
    if (node.copied_of == original.id) found = &node;
  });
  return found;
}

bool sort_nodes(CUgraph_st& graph) {
  Rng rng = Rng::stream(settings().schedule, "nodes of graphs");
  std::map<const CUgraphNode_st*, size_t> awaited;
  for (const auto& node : graph.nodes) awaited[node.get()] = node->dependencies.size();
  std::vector<std::unique_ptr<CUgraphNode_st>> left = std::move(graph.nodes), sorted;
  while (!left.empty()) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < left.size() && (ready.empty() || settings().schedule != 0); ++i)
      if (awaited[left[i].get()] == 0) ready.push_back(i);
    if (ready.empty()) break;
    const size_t chosen = ready[rng.below(ready.size())];
    for (const CUgraphNode_st* const after : left[chosen]->dependents) --awaited[after];
    sorted.push_back(std::move(left[chosen]));
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  const bool all = left.empty();
  graph.nodes = std::move(sorted);
  std::ranges::move(left, std::back_inserter(graph.nodes));
  for (const auto& node : graph.nodes)
    for (const std::shared_ptr<CUgraph_st>* const own : graphs_of(*node))
      if (!sort_nodes(**own)) return false;
  return all;
}

cudaError_t run_nodes(const CUgraph_st& graph) {
  GivenNodes given;
  for (const auto& node : graph.nodes) {
    given.begin(*node);
    const cudaError_t error = node->is_enabled ? run(node->name, node->work) : cudaSuccess;
    given.end(*node);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace assay::program
