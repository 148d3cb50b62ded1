// layer_norm_backward and rms_norm_backward_rstd by cuDNN's normalisation, which is given what the forward kept.
//
// A workspace holds the weights in f32 and, where gradients of weights are added to, those of this call.
#include "reference/vendor/cudnn_graph/graph_variant.h"
#include "reference/vendor/cudnn_graph/norm_weights.cuh"
#include "reference/vendor/cudnn_graph/norms.h"
#include "reference/vendor/cudnn_graph/planned.h"
#include "reference/vendor/plan_cache.h"
#include "reference/vendor/workspace.h"

namespace {

using namespace assay::vendor;
using assay::Case;
using assay::DType;

GraphDescription rms(const Case& c) {
  const int64_t rows = c.dim("T"), dim = c.dim("aE");
  return {.what = "RMSNorm's backward",
          .tensors = {norm_rows("dy", c.dtype, rows, dim), norm_rows("x", c.dtype, rows, dim),
                      norm_weights("gamma", DType::f32, dim), norm_of_rows("rstd", rows),
                      norm_rows("dx", c.dtype, rows, dim), norm_weights("dgamma", DType::f32, dim)},
          .nodes = {{"RMS_NORM_BACKWARD", {"dy", "x", "gamma", "rstd"}, {"dx", "dgamma"}}}};
}

GraphDescription layer(const Case& c) {
  const int64_t rows = c.dim("T"), dim = c.dim("E");
  return {.what = "layer norm's backward",
          .tensors = {norm_rows("dy", c.dtype, rows, dim), norm_rows("x", c.dtype, rows, dim),
                      norm_weights("gamma", DType::f32, dim), norm_of_rows("mean", rows), norm_of_rows("rstd", rows),
                      norm_rows("dx", c.dtype, rows, dim), norm_weights("dgamma", DType::f32, dim),
                      norm_weights("dbeta", DType::f32, dim)},
          .nodes = {{"LAYER_NORM_BACKWARD", {"dy", "x", "gamma", "mean", "rstd"}, {"dx", "dgamma", "dbeta"}}}};
}

bool adds(const Case& c) {
  const std::string* dw = c.find("dw");
  return dw && *dw == "accumulate";
}

// Slots of the workspace, of as many floats as there are weights each: the weights, and the gradients in order.
int64_t slot_bytes(int64_t dim) { return align_workspace(dim * static_cast<int64_t>(sizeof(float))); }
int64_t slots(const Case& c) { return adds(c) ? 3 : 1; }

void run(assay::Call& call, int64_t dim, const GraphDescription& described) {
  if (call.dim("T") == 0) return;
  static auto& plans = *new PlanCache<std::unique_ptr<Graph>>;
  const auto* plan = plans.get(call.c(), [&] { return plan_graph(described, {}); });
  if (!plan) return;
  const auto slot = [&](int64_t i) { return reinterpret_cast<float*>(call.workspace<char>() + i * slot_bytes(dim)); };
  assay::by_dtype(call,
                  [&]<class T>() { assay::launch(widen<T>, over_weights(dim), call.in<T>("gamma"), slot(0), dim); });
  const auto error = (*plan)->run([&](std::string_view name) -> void* {
    if (name == "gamma") return slot(0);
    if (adds(call.c()) && (name == "dgamma" || name == "dbeta")) return slot(name == "dgamma" ? 1 : 2);
    return call.out<void>(name);
  });
  if (error) return assay::note_refused_launch(error->line());
  if (!adds(call.c())) return;
  assay::launch(add_to, over_weights(dim), call.out<float>("dgamma"), slot(1), dim);
  assay::launch(add_to, over_weights(dim), call.out<float>("dbeta"), slot(2), dim);
}

std::optional<std::string> unsupported_layer(const Case& c) {
  if (c.text("dx") != "overwrite") return "cuDNN's norms write dx over what was there";
  if (c.dim("T") == 0 && !adds(c)) return "cuDNN has no graph without rows, and the gradients of weights are 0 then";
  return no_graphs();
}

std::optional<std::string> unsupported_rms(const Case& c) {
  if (c.dim("pad") != 0) return "cuDNN's RMSNorm takes rows without padding";
  if (c.dim("T") == 0) return "cuDNN has no graph without rows, and the gradients of weights are 0 then";
  return refused_alias(c) ? refused_alias(c) : no_graphs();
}

const assay::RegisterVariant kLayer({.op = "layer_norm_backward",
                                     .name = "cudnn_layer_norm",
                                     .summary = "cuDNN's backward layer norm",
                                     .aligned = 16,
                                     .vendor = "cuDNN",
                                     .unsupported = unsupported_layer,
                                     .adjust = [](Case& c) { c.set("dx", "overwrite"); },
                                     .workspace_bytes = [](const Case& c) { return slots(c) * slot_bytes(c.dim("E")); },
                                     .run = [](assay::Call& call) { run(call, call.dim("E"), layer(call.c())); }});
const assay::RegisterVariant kRms({.op = "rms_norm_backward_rstd",
                                   .name = "cudnn_rms_norm",
                                   .summary = "cuDNN's backward RMSNorm",
                                   .aligned = 16,
                                   .vendor = "cuDNN",
                                   .unsupported = unsupported_rms,
                                   .adjust =
                                       [](Case& c) {
                                         c.set("pad", "0");
                                         not_in_place(c);
                                       },
                                   .workspace_bytes = [](const Case& c) { return slot_bytes(c.dim("aE")); },
                                   .run = [](assay::Call& call) { run(call, call.dim("aE"), rms(call.c())); }});

// Without rows there is nothing to plan.
Refusal refusal_by(GraphDescription (*describe)(const Case&)) {
  return [describe](const Case& c, const GraphTarget& target) -> std::optional<assay::Error> {
    if (c.dim("T") == 0) return std::nullopt;
    return refusal_of(plan_graph(describe(c), target));
  };
}
const RegisterPlanned kLayerPlans("layer_norm_backward/cudnn_layer_norm", refusal_by(layer));
const RegisterPlanned kRmsPlans("rms_norm_backward_rstd/cudnn_rms_norm", refusal_by(rms));

}  // namespace
