// The nodes of a rotation: pair (a, b) becomes (a cos - b sin, b cos + a sin), and with the other sign of sin backward.
// Tensors are the halves "in.a" and "in.b" of heads, "out.a" and "out.b", "cos" and "sin".
#pragma once

#include <vector>

#include "reference/vendor/cudnn_graph/graph.h"

namespace assay::vendor {

inline std::vector<GraphNode> rotation(bool backward) {
  return {{"MUL", {"in.a", "cos"}, {"a_cos"}},
          {"MUL", {"in.b", "sin"}, {"b_sin"}},
          {backward ? "ADD" : "SUB", {"a_cos", "b_sin"}, {"out.a"}},
          {"MUL", {"in.b", "cos"}, {"b_cos"}},
          {"MUL", {"in.a", "sin"}, {"a_sin"}},
          {backward ? "SUB" : "ADD", {"b_cos", "a_sin"}, {"out.b"}}};
}

}  // namespace assay::vendor
