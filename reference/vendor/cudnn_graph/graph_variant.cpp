// Plans of graph variants, kept for each shape, and the pointers that they run on.
#include "reference/vendor/cudnn_graph/graph_variant.h"

#include <algorithm>
#include <map>
#include <memory>

#include "reference/vendor/cudnn_graph/planned.h"
#include "reference/vendor/plan_cache.h"

namespace assay::vendor {
namespace {

// Without elements there is nothing to plan.
bool is_empty(const GraphDescription& graph) {
  return std::ranges::any_of(graph.tensors, [](const GraphTensor& tensor) {
    return std::ranges::find(tensor.extents, 0) != tensor.extents.end();
  });
}

bool has_nothing_to_do(const GraphVariant& variant, const Case& c) {
  return variant.describe && is_empty(variant.describe(c));
}

GraphPlan plan(const GraphVariant& variant, const Case& c, const GraphTarget& target) {
  return variant.plan ? variant.plan(c, target) : plan_graph(variant.describe(c), target);
}

void run_graph(const GraphVariant& variant, Call& call) {
  if (has_nothing_to_do(variant, call.c())) return;
  static auto& caches = *new std::map<std::string, PlanCache<std::unique_ptr<Graph>>>;
  auto* const graph =
      caches[variant.op + "/" + variant.name].get(call.c(), [&] { return plan(variant, call.c(), {}); });
  if (!graph) return;
  if (variant.before) variant.before(call);
  const auto error = (*graph)->run([&](std::string_view name) {
    void* const part = variant.pointer_of ? variant.pointer_of(call, name) : nullptr;
    return part ? part : call.out<void>(name);
  });
  if (error) return note_refused_launch(error->line());
  if (variant.after) variant.after(call);
}

}  // namespace

RegisterGraph::RegisterGraph(const GraphVariant& variant) {
  RegisterVariant registered({.op = variant.op,
                              .name = variant.name,
                              .summary = variant.summary,
                              .dtypes = variant.dtypes,
                              .aligned = variant.aligned,
                              .vendor = "cuDNN",
                              .deterministic = variant.deterministic,
                              .rounds = variant.rounds,
                              .ftz = variant.ftz,
                              .fast_math = variant.fast_math,
                              .domains = variant.domains,
                              .unsupported = [variant](const Case& c) -> std::optional<std::string> {
                                if (variant.unsupported)
                                  if (auto why = variant.unsupported(c)) return why;
                                return no_graphs();
                              },
                              .adjust = variant.adjust,
                              .workspace_bytes = variant.workspace_bytes,
                              .run = [variant](Call& call) { run_graph(variant, call); }});
  RegisterPlanned planned(variant.op + "/" + variant.name,
                          [variant](const Case& c, const GraphTarget& target) -> std::optional<Error> {
                            if (has_nothing_to_do(variant, c)) return std::nullopt;
                            return refusal_of(plan(variant, c, target));
                          });
}

std::optional<std::string> refused_alias(const Case& c) {
  if (c.text("alias") == "none") return std::nullopt;
  return "cuDNN documents no graph that writes its result over an operand";
}

void not_in_place(Case& c) { c.set("alias", "none"); }

}  // namespace assay::vendor
