// The attention ops by cuDNN's fused attention, through cudnn-frontend; in f32 its forward without tensor cores.
//
// The backward is given o and lse, as training saves them, and returns every gradient in the dtype of its inputs. It
// adds up dq with atomics, or in one order, which takes longer: a variant each.
//
// A single query sees every key, causal or not, and is asked for as not causal, for which cuDNN has a faster engine.
#include <cmath>

#include "harness/op/variant.h"
#include "reference/vendor/cudnn_graph/graph.h"
#include "reference/vendor/cudnn_graph/planned.h"
#include "reference/vendor/plan_cache.h"
#include "reference/vendor/scratch.h"

namespace {

using namespace assay::vendor;
using assay::Case;

float scale_of(const Case& c) {
  return static_cast<float>(c.text("scale") == "auto" ? 1 / std::sqrt(static_cast<double>(c.dim("D")))
                                                      : c.real("scale"));
}

// Whether causality hides anything: it is aligned to the last query.
bool is_causal(const Case& c) { return c.text("causal") == "1" && c.dim("Sq") > 1; }

AttentionGraph graph_of(const Case& c, bool biased) {
  AttentionGraph graph{.dtype = c.dtype,
                       .batch = c.dim("B"),
                       .heads = c.dim("H"),
                       .kv_heads = c.dim("HK"),
                       .queries = c.dim("Sq"),
                       .keys = c.dim("Sk"),
                       .dim = c.dim("D"),
                       .head_major = c.text("layout") == "head_major",
                       .causal = is_causal(c),
                       .scale = scale_of(c),
                       .bias = std::nullopt};
  const auto extent = [&](const char* attribute) { return c.text(attribute) == "1" ? 1 : c.dim(c.text(attribute)); };
  if (biased) graph.bias = {extent("bias_batch"), extent("bias_heads"), extent("bias_queries")};
  return graph;
}

constexpr int64_t kDimMax = 256;

std::optional<std::string> unsupported(const Case& c, bool biased) {
  if (auto why = no_graphs()) return why;
  if (c.dim("D") % 8 != 0 || c.dim("D") > kDimMax) return "cuDNN's heads have a multiple of 8 elements, up to 256";
  if (is_causal(c) && c.dim("Sq") > c.dim("Sk")) return "cuDNN's causal attention takes no more queries than keys";
  if (!biased) return std::nullopt;
  if (c.text("mask") != "none") return "cuDNN's attention takes no mask of bytes";
  if (is_causal(c) && c.dim("Sq") != c.dim("Sk"))
    return "cuDNN's causal attention takes a bias where there are as many queries as keys only";
  const int64_t heads = c.text("bias_heads") == "1" ? 1 : c.dim(c.text("bias_heads"));
  if (heads != 1 && heads != c.dim("H")) return "cuDNN's bias has one head or that of every query head";
  return std::nullopt;
}

std::optional<std::string> unsupported_backward(const Case& c, bool biased) {
  if (auto why = unsupported(c, biased)) return why;
  if (c.text("saved") != "lse_o") return "cuDNN's attention backward is given lse and o";
  if (c.text("grads") != "same") return "cuDNN's dk and dv have the dtype of k and v";
  if (biased && c.dim("dbias_pad") != 0) return "cuDNN's dbias lies as the bias does, without padding";
  if (c.dim("Sq") == 1 && c.dim("Sk") == 1) return "cuDNN's attention backward takes more than one query and key";
  return std::nullopt;
}

// Moves a case to a supported one of nearly the same size.
void adjust(Case& c, bool biased) {
  c.set("D", std::to_string(std::min(kDimMax, (c.dim("D") + 7) / 8 * 8)));
  if (is_causal(c) && (biased || c.dim("Sq") > c.dim("Sk"))) c.set("Sk", c.text("Sq"));
  if (!biased) return;
  for (const char* extent : {"mask_batch", "mask_heads", "mask_queries"}) c.set(extent, "1");
  c.set("mask", "none");
  if (c.text("bias_heads") == "HK") c.set("bias_heads", "H");
}

void adjust_backward(Case& c, bool biased) {
  adjust(c, biased);
  c.set("saved", "lse_o");
  c.set("grads", "same");
  if (c.dim("Sk") == 1 && c.dim("Sq") == 1) {
    c.set("Sq", "2");
    c.set("Sk", "2");
  }
}

using Plan = GraphPlan (*)(const AttentionGraph&, const GraphTarget&);

GraphPlan plan_deterministic_backward(const AttentionGraph& shape, const GraphTarget& target) {
  AttentionGraph ordered = shape;
  ordered.deterministic = true;
  return plan_attention_backward(ordered, target);
}

template <Plan plan, bool biased>
void run(assay::Call& call) {
  static auto& plans = *new PlanCache<std::unique_ptr<Graph>>;
  const auto* graph = plans.get(call.c(), [&] { return plan(graph_of(call.c(), biased), {}); });
  if (!graph) return;
  if (auto error = (*graph)->run([&](std::string_view name) { return call.out<void>(name); }))
    assay::note_refused_launch(error->line());
}

// cuDNN skips tiles that causality hides, and no documentation promises that it clears their part of dbias.
template <Plan plan>
void backward_with_bias(assay::Call& call) {
  const auto stream = static_cast<cudaStream_t>(assay::current_stream());
  for (const auto& [name, data, bytes, shape] : call.buffers())
    if (name == "dbias" && call.text("causal") == "1")
      note_if_refused("cudaMemsetAsync", cudaMemsetAsync(data, 0, static_cast<size_t>(bytes), stream));
  run<plan, true>(call);
}

assay::Variant forward(const char* op, bool biased) {
  return {.op = op,
          .name = "cudnn_sdpa",
          .summary = "cuDNN's fused attention with the log-sum-exp that training saves",
          .aligned = 16,
          .vendor = "cuDNN",
          .rounds = {"p"},
          .unsupported = [=](const Case& c) { return unsupported(c, biased); },
          .adjust = [=](Case& c) { adjust(c, biased); },
          .run = biased ? run<plan_attention_forward, true> : run<plan_attention_forward, false>};
}

assay::Variant backward(const char* op, bool biased) {
  return {.op = op,
          .name = "cudnn_sdpa",
          .summary = "cuDNN's fused attention backward; f32 atomics add up dq",
          .dtypes = {assay::DType::bf16, assay::DType::f16},
          .aligned = 16,
          .vendor = "cuDNN",
          .deterministic = false,
          .rounds = {"p", "ds"},
          .unsupported = [=](const Case& c) { return unsupported_backward(c, biased); },
          .adjust = [=](Case& c) { adjust_backward(c, biased); },
          .run = biased ? backward_with_bias<plan_attention_backward> : run<plan_attention_backward, false>};
}

assay::Variant deterministic_backward(const char* op, bool biased) {
  assay::Variant variant = backward(op, biased);
  variant.name = "cudnn_sdpa_deterministic";
  variant.summary = "cuDNN's fused attention backward in its deterministic form: dq is added up in one order";
  variant.deterministic = true;
  variant.run = biased ? backward_with_bias<plan_deterministic_backward> : run<plan_deterministic_backward, false>;
  return variant;
}

template <Plan plan, bool biased>
std::optional<assay::Error> refusal(const Case& c, const GraphTarget& target) {
  return refusal_of(plan(graph_of(c, biased), target));
}

const assay::RegisterVariant kForward(forward("attention_forward", false));
const assay::RegisterVariant kBiasForward(forward("attention_bias_forward", true));
const assay::RegisterVariant kBackward(backward("attention_backward", false));
const assay::RegisterVariant kBiasBackward(backward("attention_bias_backward", true));
const assay::RegisterVariant kOrderedBackward(deterministic_backward("attention_backward", false));
const assay::RegisterVariant kOrderedBiasBackward(deterministic_backward("attention_bias_backward", true));

const RegisterPlanned kPlans[] = {
    {"attention_forward/cudnn_sdpa", refusal<plan_attention_forward, false>},
    {"attention_bias_forward/cudnn_sdpa", refusal<plan_attention_forward, true>},
    {"attention_backward/cudnn_sdpa", refusal<plan_attention_backward, false>},
    {"attention_bias_backward/cudnn_sdpa", refusal<plan_attention_backward, true>},
    {"attention_backward/cudnn_sdpa_deterministic", refusal<plan_deterministic_backward, false>},
    {"attention_bias_backward/cudnn_sdpa_deterministic", refusal<plan_deterministic_backward, true>}};

}  // namespace
