// Which body runs, and how often.
#include "harness/program/runtime/conditional_nodes.h"

#include <map>

#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/graph.h"
#include "harness/program/runtime/stream_order.h"
#include "harness/simt/include/simt/graph_conditions.h"

namespace assay::program {
namespace {

// By handle, of those that begin every launch with a value.
std::map<uint64_t, uint32_t>& beginnings() {
  static auto& all = *new std::map<uint64_t, uint32_t>;
  return all;
}

bool has_bodies(cudaGraphConditionalNodeType type, unsigned count) {
  switch (type) {
    case cudaGraphCondTypeIf:
      return count == 1 || count == 2;
    case cudaGraphCondTypeWhile:
      return count == 1;
    case cudaGraphCondTypeSwitch:
      return count >= 1;
  }
  return false;
}

// The place of the body that runs now; as many as there are: none.
size_t place_of_body(const ConditionalWork& work) {
  const uint32_t value = simt::condition(work.handle).value_or(0);
  if (work.type == cudaGraphCondTypeSwitch) return value;
  return value != 0 ? 0 : work.type == cudaGraphCondTypeIf ? 1 : work.bodies.size();
}

}  // namespace

MadeWork conditional_work(cudaConditionalNodeParams* params) {
  if (!has_bodies(params->type, params->size) || !simt::condition(params->handle))
    return tl::unexpected(cudaErrorInvalidValue);
  ConditionalWork work{.handle = params->handle, .type = params->type};
  work.listed = std::make_shared<std::vector<cudaGraph_t>>();
  for (unsigned i = 0; i < params->size; ++i) {
    work.bodies.push_back(std::make_shared<CUgraph_st>());
    work.listed->push_back(work.bodies.back().get());
  }
  params->phGraph_out = work.listed->data();
  return work;
}

void begin_conditions(CUgraph_st& graph) {
  for_each_node(graph, [](const CUgraphNode_st& node) {
    const auto* const work = std::get_if<ConditionalWork>(&node.work);
    if (work == nullptr) return;
    if (const auto found = beginnings().find(work->handle); found != beginnings().end())
      simt::set_condition(found->first, found->second);
  });
}

cudaError_t run_bodies(const ConditionalWork& work) {
  TurnsOfBody turns;
  do {
    const size_t place = place_of_body(work);
    if (place >= work.bodies.size()) return cudaSuccess;
    turns.next();
    if (const cudaError_t error = run_nodes(*work.bodies[place]); error != cudaSuccess) return error;
  } while (work.type == cudaGraphCondTypeWhile);
  return cudaSuccess;
}

ASSAY_EXPORTED cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                                            unsigned value, unsigned flags) {
  return call("cudaGraphConditionalHandleCreate", [&](GpuProcess&) {
    if (handle == nullptr || graph == nullptr || flags > cudaGraphCondAssignDefault) return cudaErrorInvalidValue;
    *handle = simt::make_condition();
    if (flags == cudaGraphCondAssignDefault) beginnings()[*handle] = value;
    return cudaSuccess;
  });
}

}  // namespace assay::program
