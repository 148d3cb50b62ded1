// rms_norm_forward and rms_norm_backward by cuDNN's normalisation, through cudnn-frontend.
//
// The backward takes rstd, which the op does not give, so the forward runs before it; it returns dw in the dtype of its
// weights, so they are widened to f32 first; and dw is added to what was there. A workspace holds all of that.
#include "harness/op/variant.h"
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

std::pair<std::string, float> eps_of(const Case& c) { return {"eps", static_cast<float>(c.real("eps"))}; }

GraphDescription norm(const Case& c, int64_t rows, int64_t dim) {
  return {.what = "RMSNorm",
          .tensors = {norm_rows("x", c.dtype, rows, dim), norm_weights("gamma", c.dtype, dim),
                      norm_rows("y", c.dtype, rows, dim), norm_of_rows("rstd", rows)},
          .numbers = {eps_of(c)},
          .nodes = {{"RMS_NORM", {"x", "gamma", "eps"}, {"y", "rstd"}}}};
}
GraphDescription forward_graph(const Case& c) { return norm(c, c.dim("T"), c.dim("aE") - c.dim("pad")); }
GraphDescription forward_of_backward(const Case& c) { return norm(c, c.dim("G"), c.dim("dim")); }
GraphDescription backward_graph(const Case& c) {
  const int64_t rows = c.dim("G"), dim = c.dim("dim");
  return {.what = "RMSNorm's backward",
          .tensors = {norm_rows("g", c.dtype, rows, dim), norm_rows("x", c.dtype, rows, dim),
                      norm_weights("gamma", DType::f32, dim), norm_of_rows("rstd", rows),
                      norm_rows("dx", c.dtype, rows, dim), norm_weights("dw", DType::f32, dim)},
          .nodes = {{"RMS_NORM_BACKWARD", {"g", "x", "gamma", "rstd"}, {"dx", "dw"}}}};
}

struct BackwardPlan {
  std::unique_ptr<Graph> forward, backward;
};

assay::Result<BackwardPlan> plan_both(const Case& c, const GraphTarget& target) {
  return BackwardPlan{ASSAY_TRY(plan_graph(forward_of_backward(c), target)),
                      ASSAY_TRY(plan_graph(backward_graph(c), target))};
}

// The workspace: y of the forward, which is not read, rstd, and weights and their gradient in f32.
struct Parts {
  int64_t y, rstd, weights, dw, end;  // where each begins, in bytes
};
Parts parts_of(const Case& c) {
  const int64_t rows = c.dim("G"), dim = c.dim("dim"), f32 = sizeof(float);
  const int64_t rstd = align_workspace(rows * dim * f32);  // no dtype is wider
  const int64_t weights = rstd + align_workspace(rows * f32), dw = weights + align_workspace(dim * f32);
  return {0, rstd, weights, dw, dw + align_workspace(dim * f32)};
}

void backward(assay::Call& call) {
  const int64_t dim = call.dim("dim");
  if (call.dim("G") == 0 || dim == 0) return;
  static auto& plans = *new PlanCache<BackwardPlan>;
  const auto* plan = plans.get(call.c(), [&] { return plan_both(call.c(), {}); });
  if (!plan) return;
  const Parts at = parts_of(call.c());
  char* workspace = call.workspace<char>();
  auto *wide = reinterpret_cast<float*>(workspace + at.weights), *dw = reinterpret_cast<float*>(workspace + at.dw);
  const auto pointer_of = [&](const void* gamma) {
    return [&, gamma](std::string_view name) -> void* {
      if (name == "gamma") return const_cast<void*>(gamma);
      if (name == "y") return workspace + at.y;
      if (name == "rstd") return workspace + at.rstd;
      if (name == "dw") return dw;
      return call.out<void>(name);
    };
  };
  assay::by_dtype(call, [&]<class T>() { assay::launch(widen<T>, over_weights(dim), call.in<T>("w"), wide, dim); });
  if (auto error = plan->forward->run(pointer_of(call.in<void>("w")))) return assay::note_refused_launch(error->line());
  if (auto error = plan->backward->run(pointer_of(wide))) return assay::note_refused_launch(error->line());
  assay::launch(add_to, over_weights(dim), call.out<float>("dw"), dw, dim);
}

std::optional<assay::Error> backward_refusal(const Case& c, const GraphTarget& target) {
  if (c.dim("G") == 0 || c.dim("dim") == 0) return std::nullopt;  // without rows there is nothing to plan
  return refusal_of(plan_both(c, target));
}

const RegisterGraph kForward({.op = "rms_norm_forward",
                              .name = "cudnn_rms_norm",
                              .summary = "cuDNN's RMSNorm, TRAINING: y and rstd",
                              .describe = forward_graph,
                              .unsupported = [](const Case& c) -> std::optional<std::string> {
                                if (c.dim("pad") == 0) return std::nullopt;
                                return "cuDNN's RMSNorm takes rows without padding";
                              },
                              .adjust = [](Case& c) { c.set("pad", "0"); },
                              .ftz = true});
const assay::RegisterVariant kBackward({.op = "rms_norm_backward",
                                        .name = "cudnn_forward_then_backward",
                                        .summary = "composite: cuDNN's RMSNorm forward for rstd, then its backward, "
                                                   "and kernels of ours that widen w and add to dw",
                                        .aligned = 16,
                                        .vendor = "cuDNN",
                                        .ftz = true,
                                        .unsupported = [](const Case&) { return no_graphs(); },
                                        .workspace_bytes = [](const Case& c) { return parts_of(c).end; },
                                        .run = backward});

const RegisterPlanned kPlans("rms_norm_backward/cudnn_forward_then_backward", backward_refusal);

}  // namespace
