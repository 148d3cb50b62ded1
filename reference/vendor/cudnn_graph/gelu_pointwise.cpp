// gelu_forward and gelu_backward by cuDNN's own nodes for both curves.
#include "reference/vendor/cudnn_graph/graph_variant.h"

namespace assay::vendor {
namespace {

std::string curve(const Case& c, const std::string& pass) {
  return (c.text("form") == "erf" ? "GELU_" : "GELU_APPROX_TANH_") + pass;
}

GraphDescription forward(const Case& c) {
  const int64_t count = c.dim("N");
  return {.what = "GELU",
          .tensors = {flat("x", c.dtype, count), flat("y", c.dtype, count)},
          .nodes = {{curve(c, "FWD"), {"x"}, {"y"}}}};
}

GraphDescription backward(const Case& c) {
  const int64_t count = c.dim("N");
  return {.what = "GELU's backward",
          .tensors = {flat("dy", c.dtype, count), flat("x", c.dtype, count), flat("dx", c.dtype, count)},
          .nodes = {{curve(c, "BWD"), {"dy", "x"}, {"dx"}}}};
}

// By tanh it takes the approximate one: on an H200 errors were up to nine budgets of tanhf (9.14).
const RegisterGraph kForward({.op = "gelu_forward",
                              .name = "cudnn_gelu",
                              .summary = "a graph of cuDNN's GELU_FWD or GELU_APPROX_TANH_FWD",
                              .describe = forward,
                              .fast_math = true});
const RegisterGraph kBackward({.op = "gelu_backward",
                               .name = "cudnn_gelu",
                               .summary = "a graph of cuDNN's GELU_BWD or GELU_APPROX_TANH_BWD",
                               .describe = backward,
                               .unsupported = refused_alias,
                               .adjust = not_in_place,
                               .fast_math = true});

}  // namespace
}  // namespace assay::vendor
