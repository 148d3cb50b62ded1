// residual_add as a graph of one addition.
#include "reference/vendor/cudnn_graph/graph_variant.h"

namespace assay::vendor {
namespace {

GraphDescription sum(const Case& c) {
  const int64_t count = c.dim("T") * c.dim("aE");
  return {.what = "a sum",
          .tensors = {flat("a", c.dtype, count), flat("b", c.dtype, count), flat("out", c.dtype, count)},
          .nodes = {{"ADD", {"a", "b"}, {"out"}}}};
}

const RegisterGraph kVariant({.op = "residual_add",
                              .name = "cudnn_add",
                              .summary = "a graph of cuDNN's ADD",
                              .describe = sum,
                              .unsupported = refused_alias,
                              .adjust = not_in_place});

}  // namespace
}  // namespace assay::vendor
