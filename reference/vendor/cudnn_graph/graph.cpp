// The graphs, built with cudnn-frontend.
#include "reference/vendor/cudnn_graph/graph.h"

#if __has_include(<cudnn_frontend.h>) && __has_include(<cudnn.h>)

#include <map>

#include "reference/vendor/cudnn_graph/frontend_graph.h"

namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr;  // through which the frontend finds cuDNN's functions
}

namespace assay::vendor {
namespace {

std::string in_words(const AttentionGraph& a) {
  std::string words = fmt::format("{} B={} H={} HK={} Sq={} Sk={} D={} head_major={} causal={} scale={:a} ordered={}",
                                  name(a.dtype), a.batch, a.heads, a.kv_heads, a.queries, a.keys, a.dim, a.head_major,
                                  a.causal, a.scale, a.deterministic);
  words += fmt::format(" lse={} row={} slots={}", a.saves_lse, a.row, a.slots);
  if (a.bias) words += fmt::format(" bias={},{},{}", (*a.bias)[0], (*a.bias)[1], (*a.bias)[2]);
  return words;
}

GraphPlan planned(std::unique_ptr<FrontendGraph> graph) {
  if (auto error = graph->plan()) return tl::unexpected(*error);
  return graph;
}

// The tensors of an attention graph. cuDNN's order of dims is (B, heads, tokens, D), whatever the strides.
struct AttentionTensors {
  FrontendGraph& graph;
  const AttentionGraph& a;

  Tensor matrices(std::string name, int64_t tokens, int64_t slots, int64_t heads, Tensor tensor) const {
    const int64_t row = a.row == 0 ? a.dim : a.row;
    const std::vector<int64_t> stride = a.head_major
                                            ? std::vector{heads * slots * row, slots * row, row, int64_t{1}}
                                            : std::vector{tokens * heads * a.dim, a.dim, heads * a.dim, int64_t{1}};
    return graph.bind(std::move(name), a.dtype, {a.batch, heads, tokens, a.dim}, stride, std::move(tensor));
  }
  Tensor query(std::string name, Tensor tensor = nullptr) const {
    return matrices(std::move(name), a.queries, a.queries, a.heads, std::move(tensor));
  }
  Tensor key(std::string name, Tensor tensor = nullptr) const {
    return matrices(std::move(name), a.keys, a.slots == 0 ? a.keys : a.slots, a.kv_heads, std::move(tensor));
  }
  Tensor lse(Tensor tensor = nullptr) const {
    return graph.bind("lse", DType::f32, {a.batch, a.heads, a.queries, 1}, {a.heads * a.queries, a.queries, 1, 1},
                      std::move(tensor));
  }
  Tensor bias(std::string name, Tensor tensor = nullptr) const {
    const auto [batch, heads, queries] = *a.bias;
    return graph.bind(std::move(name), a.dtype, {batch, heads, queries, a.keys},
                      {heads * queries * a.keys, queries * a.keys, a.keys, 1}, std::move(tensor));
  }

  // Scale, causality and bias, which forward and backward name alike.
  template <class Attributes>
  Attributes& configure(Attributes& attributes) const {
    attributes.set_attn_scale(a.scale);
    if (a.bias) attributes.set_bias(bias("bias"));
    if (!a.causal) return attributes;
    attributes.set_diagonal_alignment(a.queries == a.keys ? fe::DiagonalAlignment_t::TOP_LEFT
                                                          : fe::DiagonalAlignment_t::BOTTOM_RIGHT);
    return attributes.set_diagonal_band_right_bound(0);
  }
};

std::string in_words(const GraphDescription& graph) {
  std::string words;
  for (const GraphTensor& tensor : graph.tensors)
    words += fmt::format("{} {} {} by {}; ", tensor.name, name(tensor.dtype), fmt::join(tensor.extents, "x"),
                         fmt::join(tensor.strides, ","));
  for (const auto& [name, value] : graph.numbers) words += fmt::format("{}={:a} ", name, value);
  for (const GraphNode& node : graph.nodes)
    words += fmt::format("{} {} to {}; ", node.operation, fmt::join(node.operands, " "), fmt::join(node.results, " "));
  return words;
}

using Tensors = std::vector<Tensor>;

Tensors add_norm(fe::graph::Graph& graph, const std::string& operation, Tensors in) {
  constexpr auto kTraining = fe::NormFwdPhase_t::TRAINING;
  if (operation == "RMS_NORM") {
    const auto [y, rstd] = graph.rmsnorm(
        in.at(0), in.at(1), fe::graph::Rmsnorm_attributes().set_forward_phase(kTraining).set_epsilon(in.at(2)));
    return {y, rstd};
  }
  if (operation == "RMS_NORM_BACKWARD") {
    const auto [dx, dgamma, no_bias] = graph.rmsnorm_backward(
        in.at(0), in.at(1), in.at(2), in.at(3), fe::graph::Rmsnorm_backward_attributes().has_dbias(false));
    return {dx, dgamma};
  }
  if (operation == "LAYER_NORM") {
    const auto [y, mean, rstd] =
        graph.layernorm(in.at(0), in.at(1), in.at(2),
                        fe::graph::Layernorm_attributes().set_forward_phase(kTraining).set_epsilon(in.at(3)));
    return {y, mean, rstd};
  }
  const auto [dx, dgamma, dbeta] = graph.layernorm_backward(
      in.at(0), in.at(1), in.at(2),
      fe::graph::Layernorm_backward_attributes().set_saved_mean_and_inv_variance(in.at(3), in.at(4)));
  return {dx, dgamma, dbeta};
}

// GEN_INDEX_1: the index along the extent 1 of three.
Tensor add_pointwise(fe::graph::Graph& graph, const std::string& operation, const Tensors& in) {
  constexpr std::string_view kIndex = "GEN_INDEX_";
  auto attributes = fe::graph::Pointwise_attributes();
  if (operation.starts_with(kIndex)) {
    attributes.set_mode(fe::PointwiseMode_t::GEN_INDEX).set_axis(std::stoi(operation.substr(kIndex.size())));
    return graph.pointwise(in.at(0), attributes);
  }
  attributes.set_mode(nlohmann::json(operation).get<fe::PointwiseMode_t>());
  if (in.size() == 3) return graph.pointwise(in[0], in[1], in[2], attributes);
  const Tensor out =
      in.size() == 1 ? graph.pointwise(in[0], attributes) : graph.pointwise(in.at(0), in.at(1), attributes);
  if (operation.starts_with("CMP_")) out->set_data_type(fe::DataType_t::BOOLEAN);
  return out;
}

Tensors add_node(fe::graph::Graph& graph, const std::string& operation, const Tensors& in) {
  if (operation.find("_NORM") != std::string::npos) return add_norm(graph, operation, in);
  if (operation == "REDUCE_ADD")
    return {graph.reduction(in.at(0), fe::graph::Reduction_attributes().set_mode(fe::ReductionMode_t::ADD))};
  return {add_pointwise(graph, operation, in)};
}

}  // namespace

std::optional<std::string> no_graphs() {
  if (auto why = why_missing(cudnn())) return why;
  return why_missing(cudart());
}

GraphPlan plan_attention_forward(const AttentionGraph& shape, const GraphTarget& target) {
  auto graph = std::make_unique<FrontendGraph>("attention", in_words(shape), target);
  const AttentionTensors tensors{*graph, shape};
  auto attributes = fe::graph::SDPA_attributes().set_name("attention").set_generate_stats(shape.saves_lse);
  tensors.configure(attributes);
  const Tensor q = tensors.query("q"), k = tensors.key("k"), v = tensors.key("v");
  const auto [o, lse] = graph->graph().sdpa(q, k, v, attributes);
  tensors.query("o", o);
  if (shape.saves_lse) tensors.lse(lse);
  return planned(std::move(graph));
}

GraphPlan plan_attention_backward(const AttentionGraph& shape, const GraphTarget& target) {
  auto graph = std::make_unique<FrontendGraph>("attention's backward", in_words(shape), target);
  const AttentionTensors tensors{*graph, shape};
  auto attributes = fe::graph::SDPA_backward_attributes().set_name("attention_backward");
  attributes.set_deterministic_algorithm(shape.deterministic);
  tensors.configure(attributes);
  if (shape.bias) {
    auto dbias = graph->graph().tensor(fe::graph::Tensor_attributes().set_name("dbias"));
    attributes.set_dbias(tensors.bias("dbias", dbias));
  }
  const Tensor q = tensors.query("q"), k = tensors.key("k"), v = tensors.key("v");
  const Tensor o = tensors.query("o"), go = tensors.query("do"), lse = tensors.lse();
  const auto [dq, dk, dv] = graph->graph().sdpa_backward(q, k, v, o, go, lse, attributes);
  tensors.query("dq", dq);
  tensors.key("dk", dk);
  tensors.key("dv", dv);
  return planned(std::move(graph));
}

GraphPlan plan_graph(const GraphDescription& described, const GraphTarget& target) {
  auto graph = std::make_unique<FrontendGraph>(described.what, in_words(described), target);
  std::map<std::string, Tensor> known;
  for (const auto& [name, value] : described.numbers)
    known[name] = graph->graph().tensor(fe::graph::Tensor_attributes(value));
  const auto bound = [&](const GraphTensor& tensor, Tensor made) {
    return graph->bind(tensor.name, tensor.dtype, tensor.extents, tensor.strides, std::move(made));
  };
  for (const GraphNode& node : described.nodes) {
    Tensors in;
    for (const std::string& name : node.operands) {
      if (!known.contains(name)) known[name] = bound(*described.find(name), nullptr);
      in.push_back(known[name]);
    }
    const Tensors out = add_node(graph->graph(), node.operation, in);
    for (size_t i = 0; i < node.results.size(); ++i) {
      const GraphTensor* const tensor = described.find(node.results[i]);
      known[node.results[i]] = tensor ? bound(*tensor, out.at(i)) : out.at(i);
    }
  }
  return planned(std::move(graph));
}

}  // namespace assay::vendor

#else

namespace assay::vendor {
namespace {

tl::unexpected<Error> built_without() {
  return fail("this build has no graphs of cuDNN: it was made without the headers of cuDNN or of cudnn-frontend",
              "run scripts/cudnn_frontend.sh and build again");
}

}  // namespace

std::optional<std::string> no_graphs() { return built_without().value().line(); }
GraphPlan plan_attention_forward(const AttentionGraph&, const GraphTarget&) { return built_without(); }
GraphPlan plan_attention_backward(const AttentionGraph&, const GraphTarget&) { return built_without(); }
GraphPlan plan_graph(const GraphDescription&, const GraphTarget&) { return built_without(); }

}  // namespace assay::vendor

#endif
