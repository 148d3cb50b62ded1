// attention_backward_delta: products of elements, added up over each head. cuDNN adds up channels, as its norms do, and
// has no plan for other extents. Two runs differed in the last bits on an H200 (9.14, heads of 192 elements).
#include <algorithm>

#include "reference/vendor/cudnn_graph/graph_variant.h"
#include "reference/vendor/cudnn_graph/norms.h"

namespace assay::vendor {
namespace {

GraphDescription delta(const Case& c) {
  const int64_t rows = c.dim("B") * c.dim("S") * c.dim("H"), dim = c.dim("D");
  return {
      .what = "delta",
      .tensors = {norm_rows("dO", c.dtype, rows, dim), norm_rows("O", c.dtype, rows, dim), norm_of_rows("delta", rows)},
      .nodes = {{"MUL", {"dO", "O"}, {"products"}}, {"REDUCE_ADD", {"products"}, {"delta"}}}};
}

std::optional<std::string> unsupported(const Case& c) {
  if (c.dim("D") > 1) return std::nullopt;
  return "cuDNN has no plan for sums of one element";
}

const RegisterGraph kVariant({.op = "attention_backward_delta",
                              .name = "cudnn_mul_reduce",
                              .summary = "a graph of cuDNN's MUL and a reduction over each head",
                              .describe = delta,
                              .unsupported = unsupported,
                              .adjust = [](Case& c) { c.set("D", std::to_string(std::max<int64_t>(c.dim("D"), 2))); },
                              .deterministic = false});

}  // namespace
}  // namespace assay::vendor
