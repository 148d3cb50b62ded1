// attention_score: a product with a number, and under a mask a choice between that and minus infinity by the indices of
// query and key. cuDNN plans it for three extents, and where it compares in f32.
#include <limits>

#include "reference/vendor/cudnn_graph/graph_variant.h"

namespace assay::vendor {
namespace {

GraphDescription scaled(const Case& c) {
  const int64_t heads = c.dim("H"), tokens = c.dim("S");
  const auto pairs = [&](const char* name) {
    return GraphTensor{name, c.dtype, {heads, tokens, tokens}, {tokens * tokens, tokens, 1}};
  };
  const bool causal = c.text("causal") == "1";
  GraphDescription graph{.what = "scaled scores",
                         .tensors = {pairs("scores"), pairs("masked")},
                         .numbers = {{"scale", static_cast<float>(c.real("scale"))}},
                         .nodes = {{"MUL", {"scores", "scale"}, {causal ? "scaled" : "masked"}}}};
  if (!causal) return graph;
  graph.numbers.emplace_back("hidden", -std::numeric_limits<float>::infinity());
  graph.nodes.insert(graph.nodes.end(), {{"GEN_INDEX_1", {"scores"}, {"query"}},
                                         {"GEN_INDEX_2", {"scores"}, {"key"}},
                                         {"CMP_GE", {"query", "key"}, {"seen"}},
                                         {"BINARY_SELECT", {"scaled", "hidden", "seen"}, {"masked"}}});
  return graph;
}

const RegisterGraph kVariant({.op = "attention_score",
                              .name = "cudnn_mul_select",
                              .summary = "a graph of cuDNN's MUL, and under a mask of its indices and BINARY_SELECT",
                              .describe = scaled});

}  // namespace
}  // namespace assay::vendor
