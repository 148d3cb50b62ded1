// residual_norm: the sum of both branches as a node before cuDNN's norm, in one graph.
#include "harness/tensor/dtype.h"
#include "reference/vendor/cudnn_graph/graph_variant.h"
#include "reference/vendor/cudnn_graph/norms.h"

namespace assay::vendor {
namespace {

GraphDescription sum_and_norm(const Case& c) {
  const int64_t rows = c.dim("T"), dim = c.dim("E");
  GraphDescription graph{.what = "a sum's norm",
                         .tensors = {norm_rows("a", c.dtype, rows, dim), norm_rows("b", c.dtype, rows, dim),
                                     norm_rows("r", c.dtype, rows, dim), norm_weights("gamma", c.dtype, dim),
                                     norm_rows("y", c.dtype, rows, dim), norm_of_rows("rstd", rows)},
                         .numbers = {{"eps", static_cast<float>(c.real("eps"))}},
                         .nodes = {{"ADD", {"a", "b"}, {"r"}}}};
  if (c.text("norm") == "rms") {
    graph.nodes.push_back({"RMS_NORM", {"r", "gamma", "eps"}, {"y", "rstd"}});
    return graph;
  }
  graph.tensors.push_back(norm_weights("beta", c.dtype, dim));
  graph.tensors.push_back(norm_of_rows("mean", rows));
  graph.nodes.push_back({"LAYER_NORM", {"r", "gamma", "beta", "eps"}, {"y", "mean", "rstd"}});
  return graph;
}

constexpr int64_t kFusedBytes = 128;

std::optional<std::string> unsupported(const Case& c) {
  if (c.dim("E") * static_cast<int64_t>(size_of(c.dtype)) % kFusedBytes != 0)
    return "cuDNN fuses a sum into a norm where rows are multiples of 128 bytes";
  return refused_alias(c);
}

const RegisterGraph kVariant({.op = "residual_norm",
                              .name = "cudnn_add_norm",
                              .summary = "a graph of cuDNN's ADD and its norm",
                              .describe = sum_and_norm,
                              .unsupported = unsupported,
                              .adjust =
                                  [](Case& c) {
                                    not_in_place(c);
                                    c.set("E", std::to_string((c.dim("E") + 63) / 64 * 64));
                                  },
                              .rounds = {"r"},
                              .ftz = true});

}  // namespace
}  // namespace assay::vendor
