// A rotation as a graph: pair (a, b) becomes (a cos - b sin, b cos + a sin), and with the other sign of sin backward.
// Tensors are the halves "in.a" and "in.b" of heads, "out.a" and "out.b", "cos" and "sin".
#pragma once

#include <vector>

#include "harness/tensor/dtype.h"
#include "reference/vendor/cudnn_graph/graph_variant.h"

namespace assay::vendor {

// Extents and strides of a half, and of the tables.
inline GraphDescription rotation(const Case& c, const std::vector<int64_t>& extents,
                                 const std::vector<int64_t>& strides, const std::vector<int64_t>& table_extents,
                                 const std::vector<int64_t>& table_strides) {
  GraphDescription graph{.what = "rope", .tensors = {}, .nodes = {}};
  for (const char* name : {"in.a", "in.b", "out.a", "out.b"})
    graph.tensors.push_back({name, c.dtype, extents, strides});
  for (const char* name : {"cos", "sin"}) graph.tensors.push_back({name, DType::f32, table_extents, table_strides});
  const bool backward = c.text("direction") == "backward";
  graph.nodes = {{"MUL", {"in.a", "cos"}, {"a_cos"}},
                 {"MUL", {"in.b", "sin"}, {"b_sin"}},
                 {backward ? "ADD" : "SUB", {"a_cos", "b_sin"}, {"out.a"}},
                 {"MUL", {"in.b", "cos"}, {"b_cos"}},
                 {"MUL", {"in.a", "sin"}, {"a_sin"}},
                 {backward ? "SUB" : "ADD", {"b_cos", "a_sin"}, {"out.b"}}};
  return graph;
}

// Why cuDNN cannot turn heads with such halves.
inline std::optional<std::string> refused_rotation(const Case& c, int64_t half) {
  if (c.text("pairs") != "half")
    return "cuDNN wants tensors that begin at multiples of 16 bytes, and every other element does not";
  if (half * static_cast<int64_t>(size_of(c.dtype)) % 16 != 0)
    return "cuDNN wants tensors that begin at multiples of 16 bytes, and the upper halves of heads do not";
  return refused_alias(c);
}

}  // namespace assay::vendor
