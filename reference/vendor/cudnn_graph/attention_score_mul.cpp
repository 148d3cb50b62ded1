// attention_score without a mask: a product with a number. With one cuDNN 9.19 has no plan: GEN_INDEX and BINARY_SELECT
// are for the scores of its fused attention.
#include "reference/vendor/cudnn_graph/graph_variant.h"

namespace assay::vendor {
namespace {

GraphDescription scaled(const Case& c) {
  const int64_t count = c.dim("H") * c.dim("S") * c.dim("S");
  return {.what = "scaled scores",
          .tensors = {flat("scores", c.dtype, count), flat("masked", c.dtype, count)},
          .numbers = {{"scale", static_cast<float>(c.real("scale"))}},
          .nodes = {{"MUL", {"scores", "scale"}, {"masked"}}}};
}

std::optional<std::string> unsupported(const Case& c) {
  if (c.dim("causal") == 0) return std::nullopt;
  return "cuDNN masks by index within its fused attention only";
}

const RegisterGraph kVariant({.op = "attention_score",
                              .name = "cudnn_mul",
                              .summary = "a graph of cuDNN's MUL, where nothing is masked",
                              .describe = scaled,
                              .unsupported = unsupported,
                              .adjust = [](Case& c) { c.set("causal", "0"); }});

}  // namespace
}  // namespace assay::vendor
