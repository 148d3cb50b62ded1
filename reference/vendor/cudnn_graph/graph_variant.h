// Variants that are one graph of cuDNN's: each says for a case what the graph computes, and all else follows.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/op/variant.h"
#include "reference/vendor/cudnn_graph/graph.h"

namespace assay::vendor {

struct GraphVariant {
  std::string op, name, summary;
  // The graph, or how it is planned where it has no such description, as attention has none.
  std::function<GraphDescription(const Case&)> describe = nullptr;
  std::function<GraphPlan(const Case&, const GraphTarget&)> plan = nullptr;
  // Where a tensor of the graph lies that is none of the op's: a part of one, say.
  std::function<void*(const Call&, std::string_view)> pointer_of = nullptr;
  // Why the graph cannot express a case; cuDNN is asked for a plan for all others.
  std::function<std::optional<std::string>(const Case&)> unsupported = nullptr;
  std::function<void(Case&)> adjust = nullptr;
  std::vector<DType> dtypes = {DType::f32, DType::bf16, DType::f16};
  // Kernels of ours around the graph, for a case that has one.
  std::function<void(const Call&)> before = nullptr, after = nullptr;
  // As Variant has them.
  int aligned = 16;
  bool deterministic = true;
  std::vector<std::string> rounds = {};
  bool ftz = false, fast_math = false;
  std::vector<Domain> domains = {};
  std::function<int64_t(const Case&)> workspace_bytes = nullptr;
};

struct RegisterGraph {
  explicit RegisterGraph(const GraphVariant& variant);
};

// For variants whose op may work in place: why they do not, and the case in which they need not.
std::optional<std::string> refused_alias(const Case& c);
void not_in_place(Case& c);

}  // namespace assay::vendor
