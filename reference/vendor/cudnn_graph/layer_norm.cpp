// layer_norm_forward by cuDNN's normalisation.
#include "harness/tensor/fill.h"
#include "reference/vendor/cudnn_graph/graph_variant.h"
#include "reference/vendor/cudnn_graph/norms.h"

namespace assay::vendor {
namespace {

GraphDescription forward(const Case& c) {
  const int64_t rows = c.dim("T"), dim = c.dim("E");
  return {.what = "layer norm",
          .tensors = {norm_rows("x", c.dtype, rows, dim), norm_weights("gamma", c.dtype, dim),
                      norm_weights("beta", c.dtype, dim), norm_rows("y", c.dtype, rows, dim),
                      norm_of_rows("mean", rows), norm_of_rows("rstd", rows)},
          .numbers = {{"eps", static_cast<float>(c.real("eps"))}},
          .nodes = {{"LAYER_NORM", {"x", "gamma", "beta", "eps"}, {"y", "mean", "rstd"}}}};
}

const RegisterGraph kVariant({.op = "layer_norm_forward",
                              .name = "cudnn_layer_norm",
                              .summary = "cuDNN's layer norm, TRAINING: y, mean and rstd",
                              .describe = forward,
                              .unsupported = [](const Case& c) -> std::optional<std::string> {
                                if (find_fill(c.fill)->has_infinity)
                                  return "cuDNN 9.14 gives rows with an infinity an rstd of 0 (H200)";
                                if (c.dim("E") == 1 && find_fill(c.fill)->has_nan)
                                  return "cuDNN 9.14 gives a row of one NaN an rstd as if it were a number (H200)";
                                return std::nullopt;
                              },
                              .ftz = true});

}  // namespace
}  // namespace assay::vendor
