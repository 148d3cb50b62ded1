// softmax_forward: what it means. The stable softmax of every row.
#pragma once

#include "harness/op/contract.h"
#include "reference/softmax_forward.h"

namespace assay::ops::softmax_forward {

inline Contract contract() {
  return {
      .name = "softmax_forward",
      .summary = "y_rc = exp(x_rc - m_r) / sum_j exp(x_rj - m_r), m_r the row's maximum; NaN or all -inf: the row is NaN",
      .dims = {{.name = "rows", .meaning = "independent rows", .min = 0},
               {.name = "cols", .meaning = "elements of a row", .min = 0}},
      .tensors = {{.name = "x", .role = Role::input, .shape = {"rows", "cols"}},
                  {.name = "y", .role = Role::output, .shape = {"rows", "cols"}}},
      .reference = reference_from([](auto& io) { reference::softmax_forward(io); }),
      .flops = [](const Case& c) { return 5.0 * static_cast<double>(c.dim("rows") * c.dim("cols")); },
  };
}

}  // namespace assay::ops::softmax_forward
