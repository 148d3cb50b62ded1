// attention_decode and attention_causal_head_major by cuDNN's fused attention: heads that lie one after the other, with
// padding behind each token's elements, and a cache of which the first tokens are read.
//
// Padding of the output, which cuDNN does not write, is cleared.
#include <cmath>

#include "harness/tensor/dtype.h"
#include "reference/vendor/cudart/copies.h"
#include "reference/vendor/cudnn_graph/graph.h"
#include "reference/vendor/cudnn_graph/planned.h"
#include "reference/vendor/plan_cache.h"

namespace assay::vendor {
namespace {

AttentionGraph heads(const Case& c, int64_t queries, int64_t keys, int64_t slots) {
  const int64_t dim = c.dim("ad") - c.dim("pad");
  return {.dtype = c.dtype,
          .batch = 1,
          .heads = c.dim("H"),
          .kv_heads = c.dim("HK"),
          .queries = queries,
          .keys = keys,
          .dim = dim,
          .head_major = true,
          .causal = queries > 1,
          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(dim))),
          .bias = std::nullopt,
          .saves_lse = false,
          .row = c.dim("ad"),
          .slots = slots};
}
AttentionGraph decode(const Case& c) { return heads(c, 1, c.dim("kv_tokens"), c.dim("capacity")); }
AttentionGraph prefill(const Case& c) { return heads(c, c.dim("T"), c.dim("T"), c.dim("T")); }

template <AttentionGraph (*graph_of)(const Case&)>
void run(Call& call) {
  static auto& plans = *new PlanCache<std::unique_ptr<Graph>>;
  const AttentionGraph shape = graph_of(call.c());
  const auto* graph = plans.get(call.c(), [&] { return plan_attention_forward(shape, {}); });
  if (!graph) return;
  const auto error = (*graph)->run([&](std::string_view name) { return call.out<void>(name == "o" ? "out" : name); });
  if (error) return note_refused_launch(error->line());
  const auto bytes = static_cast<int64_t>(size_of(call.dtype()));
  clear_rows(call.out<char>("out") + shape.dim * bytes, shape.row * bytes, (shape.row - shape.dim) * bytes,
             shape.heads * shape.queries);
}

constexpr int64_t kDimMax = 256;

std::optional<std::string> unsupported(const Case& c) {
  const int64_t row = c.dim("ad"), dim = row - c.dim("pad");
  if (dim % 8 != 0 || dim > kDimMax) return "cuDNN's heads have a multiple of 8 elements, up to 256";
  if (row % 8 != 0) return "cuDNN's tokens begin a multiple of 8 elements apart";
  return no_graphs();
}

std::optional<std::string> unsupported_prefill(const Case& c) {
  if (c.text("probs") != "none") return "cuDNN's fused attention keeps no probabilities";
  return unsupported(c);
}

void adjust(Case& c) {
  const int64_t pad = c.dim("pad") / 8 * 8, dim = c.dim("ad") - c.dim("pad");
  c.set("pad", std::to_string(pad));
  c.set("ad", std::to_string(std::min(kDimMax, (dim + 7) / 8 * 8) + pad));
}

Variant attention(const char* op, void (*run)(Call&)) {
  return {.op = op,
          .name = "cudnn_sdpa",
          .summary = "cuDNN's fused attention on strided heads",
          .aligned = 16,
          .vendor = "cuDNN",
          .rounds = {"p"},
          .unsupported = unsupported,
          .adjust = adjust,
          .run = run};
}

Variant prefill_attention() {
  Variant variant = attention("attention_causal_head_major", run<prefill>);
  variant.unsupported = unsupported_prefill;
  variant.adjust = [](Case& c) {
    adjust(c);
    c.set("probs", "none");
  };
  return variant;
}

template <AttentionGraph (*graph_of)(const Case&)>
std::optional<Error> refusal(const Case& c, const GraphTarget& target) {
  return refusal_of(plan_attention_forward(graph_of(c), target));
}

const RegisterVariant kDecode(attention("attention_decode", run<decode>));
const RegisterVariant kPrefill(prefill_attention());
const RegisterPlanned kPlans[] = {{"attention_decode/cudnn_sdpa", refusal<decode>},
                                  {"attention_causal_head_major/cudnn_sdpa", refusal<prefill>}};

}  // namespace
}  // namespace assay::vendor
