// The attention ops by cuDNN's fused attention, through cudnn-frontend; in f32 its forward without tensor cores.
//
// The backward is given o and lse, as training saves them, and returns every gradient in the dtype of its inputs. It
// adds up dq with atomics, or in one order, which takes longer: a variant each.
//
// No documentation says what the backward rounds. On an H200 (9.14) the gradients of 7 of 72 cases were off by up to
// 3.3 budgets of a kernel that rounds p and ds; where scores are rounded, too, five of these are within.
//
// A single query sees every key, causal or not, and is asked for as not causal, for which cuDNN has a faster engine.
#include <cmath>

#include "reference/vendor/cudnn_graph/attention_heads.h"
#include "reference/vendor/cudnn_graph/graph_variant.h"
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

std::optional<std::string> unsupported(const Case& c, bool biased) {
  if (auto why = unsupported_heads(c, c.dim("D"), is_causal(c))) return why;
  if (is_causal(c) && c.dim("Sq") > c.dim("Sk")) return "cuDNN's causal attention takes no more queries than keys";
  if (!biased && scale_of(c) < 0) return "cuDNN's attention takes no negative scale: hidden keys would win";
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
  if (biased && c.text("bias_queries") == "1" && c.dim("Sq") > 1)
    return "cuDNN 9.14 writes beside a dbias that is one row for all queries";
  if (biased && c.dim("dbias_pad") != 0) return "cuDNN's dbias lies as the bias does, without padding";
  if (c.dim("Sq") == 1 && c.dim("Sk") == 1) return "cuDNN's attention backward takes more than one query and key";
  return std::nullopt;
}

// Moves a case to a supported one of nearly the same size.
void adjust(Case& c, bool biased) {
  c.set("D", std::to_string(supported_head(c.dtype, c.dim("D"))));
  if (!biased && scale_of(c) < 0) c.set("scale", "auto");
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
  if (biased) c.set("bias_queries", "Sq");
  if (c.dim("Sk") == 1 && c.dim("Sq") == 1) {
    c.set("Sq", "2");
    c.set("Sk", "2");
  }
}

// cuDNN skips tiles that causality hides, and no documentation promises that it clears their part of dbias.
void clear_bias_gradient(const assay::Call& call) {
  const auto stream = static_cast<cudaStream_t>(assay::current_stream());
  for (const auto& [name, data, bytes, shape] : call.buffers())
    if (name == "dbias" && call.text("causal") == "1")
      note_if_refused("cudaMemsetAsync", cudaMemsetAsync(data, 0, static_cast<size_t>(bytes), stream));
}

// With a single query and several heads for each of the cache's, cuDNN 9.14 leaves heads of f32 unwritten (H200).
bool leaves_heads_unwritten(const Case& c) {
  return c.dtype == assay::DType::f32 && c.dim("Sq") == 1 && c.dim("H") != c.dim("HK");
}

std::optional<std::string> unsupported_forward(const Case& c, bool biased) {
  if (leaves_heads_unwritten(c)) return "of a single query in f32 cuDNN takes as many heads of k and v";
  return unsupported(c, biased);
}

void adjust_forward(Case& c, bool biased) {
  adjust(c, biased);
  if (leaves_heads_unwritten(c)) c.set("HK", c.text("H"));
}

GraphVariant forward(const char* op, bool biased) {
  return {.op = op,
          .name = "cudnn_sdpa",
          .summary = "cuDNN's fused attention with the log-sum-exp that training saves",
          .plan = [=](const Case& c, const GraphTarget& on) { return plan_attention_forward(graph_of(c, biased), on); },
          .unsupported = [=](const Case& c) { return unsupported_forward(c, biased); },
          .adjust = [=](Case& c) { adjust_forward(c, biased); },
          .rounds = {"p"},
          .ftz = true};
}

GraphVariant backward(const char* op, bool biased, bool ordered) {
  const auto plan = [=](const Case& c, const GraphTarget& target) {
    AttentionGraph shape = graph_of(c, biased);
    shape.deterministic = ordered;
    return plan_attention_backward(shape, target);
  };
  return {.op = op,
          .name = ordered ? "cudnn_sdpa_deterministic" : "cudnn_sdpa",
          .summary = ordered ? "cuDNN's deterministic fused attention backward: dq is added up in one order"
                             : "cuDNN's fused attention backward; f32 atomics add up dq",
          .plan = plan,
          .unsupported = [=](const Case& c) { return unsupported_backward(c, biased); },
          .adjust = [=](Case& c) { adjust_backward(c, biased); },
          .dtypes = {assay::DType::bf16, assay::DType::f16},
          .before = biased ? clear_bias_gradient : nullptr,
          .deterministic = ordered,
          .rounds = {"p", "ds", "scores"},
          .ftz = true};
}

const RegisterGraph kVariants[] = {RegisterGraph(forward("attention_forward", false)),
                                   RegisterGraph(forward("attention_bias_forward", true)),
                                   RegisterGraph(backward("attention_backward", false, false)),
                                   RegisterGraph(backward("attention_bias_backward", true, false)),
                                   RegisterGraph(backward("attention_backward", false, true)),
                                   RegisterGraph(backward("attention_bias_backward", true, true))};

}  // namespace
