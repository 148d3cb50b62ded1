// attention_decode and attention_causal_head_major by cuDNN's fused attention: heads that lie one after the other, with
// padding behind each token's elements, and a cache of which the first tokens are read.
//
// Padding of the output, which cuDNN does not write, is cleared.
#include <cmath>

#include "harness/tensor/dtype.h"
#include "reference/vendor/cudart/copies.h"
#include "reference/vendor/cudnn_graph/attention_heads.h"
#include "reference/vendor/cudnn_graph/graph_variant.h"

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

void* pointer_of(const Call& call, std::string_view name) { return name == "o" ? call.out<void>("out") : nullptr; }

void clear_padding(const Call& call) {
  const auto element = static_cast<int64_t>(size_of(call.dtype()));
  const int64_t row = call.dim("ad") * element, padding = call.dim("pad") * element;
  for (const auto& [name, data, bytes, shape] : call.buffers())
    if (name == "out") clear_rows(static_cast<char*>(data) + row - padding, row, padding, bytes / row);
}

std::optional<std::string> unsupported(const Case& c, bool causal) {
  const int64_t row = c.dim("ad"), dim = row - c.dim("pad");
  if (auto why = unsupported_heads(c, dim, causal)) return why;
  if (row % 8 != 0) return "cuDNN's tokens begin a multiple of 8 elements apart";
  return std::nullopt;
}

std::optional<std::string> unsupported_prefill(const Case& c) {
  if (c.text("probs") != "none") return "cuDNN's fused attention keeps no probabilities";
  return unsupported(c, true);
}

void adjust(Case& c) {
  const int64_t pad = c.dim("pad") / 8 * 8, dim = c.dim("ad") - c.dim("pad");
  c.set("pad", std::to_string(pad));
  c.set("ad", std::to_string(supported_head(c.dtype, dim) + pad));
}

GraphVariant attention(const char* op, AttentionGraph (*graph_of)(const Case&)) {
  return {.op = op,
          .name = "cudnn_sdpa",
          .summary = "cuDNN's fused attention on strided heads",
          .plan = [=](const Case& c, const GraphTarget& on) { return plan_attention_forward(graph_of(c), on); },
          .pointer_of = pointer_of,
          .after = clear_padding,
          .rounds = {"p"},
          .ftz = true};
}

// With a single query and several heads for each of the cache's, cuDNN 9.14 leaves heads of f32 unwritten on an H200.
std::optional<std::string> unsupported_decode(const Case& c) {
  if (c.dtype == DType::f32 && c.dim("H") != c.dim("HK"))
    return "cuDNN's decoding in f32 takes as many heads of k and v";
  return unsupported(c, false);
}

GraphVariant decode_attention() {
  GraphVariant variant = attention("attention_decode", decode);
  variant.unsupported = unsupported_decode;
  variant.adjust = [](Case& c) {
    adjust(c);
    if (c.dtype == DType::f32) c.set("HK", std::to_string(c.dim("H")));
  };
  return variant;
}

GraphVariant prefill_attention() {
  GraphVariant variant = attention("attention_causal_head_major", prefill);
  variant.unsupported = unsupported_prefill;
  variant.adjust = [](Case& c) {
    adjust(c);
    c.set("probs", "none");
  };
  return variant;
}

const RegisterGraph kDecode(decode_attention());
const RegisterGraph kPrefill(prefill_attention());

}  // namespace
}  // namespace assay::vendor
