// A composite of ops that the project has, for tests: y = x + norm(x) wᵀ.
#pragma once

#include "harness/op/composite.h"

namespace assay {

inline Contract test_composite() {
  return composite({
      .name = "residual_block",
      .summary = "y = x + norm(x) w^T, for tests",
      .dims = {{.name = "T", .meaning = "tokens", .min = 0}, {.name = "aE", .meaning = "elements of a row"}},
      .attrs = {{.name = "eps", .meaning = "added to the mean square", .choices = {"1e-5", "1e-3"}}},
      .tensors = {{.name = "x", .shape = {"T", "aE"}, .magnitude = 100},
                  {.name = "gamma", .shape = {"aE"}, .magnitude = 10},
                  {.name = "w", .shape = {"aE", "aE"}, .magnitude = 10},
                  {.name = "y", .role = Role::output, .shape = {"T", "aE"}}},
      .steps = {{.name = "norm", .op = "rms_norm_forward", .tensors = {{"y", "n"}}, .params = {{"pad", "0"}}},
                {.name = "project",
                 .op = "gemm",
                 .tensors = {{"a", "n"}, {"b", "w"}, {"c", "p"}},
                 .params = {{"M", "T"}, {"N", "aE"}, {"K", "aE"}, {"layout", "nt"}}},
                {.name = "join", .op = "residual_add", .tensors = {{"a", "x"}, {"b", "p"}, {"out", "y"}}}},
      .admits_nan = false,
      .admits_infinity = false,
      .reference = {},  // that of its steps
  });
}

}  // namespace assay
