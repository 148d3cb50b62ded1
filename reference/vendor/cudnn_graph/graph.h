// Operations that cuDNN plans as graphs, through NVIDIA's cudnn-frontend: attention, and whatever is described node by
// node.
//
// The frontend's headers take long to compile, so one file includes them and this header has none of it. Built without
// them, every function here returns the reason.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/tensor/dtype.h"

namespace assay::vendor {

// The GPU that a plan is made for.
struct GraphTarget {
  // A description of a GPU (the JSON of CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION), which need not be there: cuDNN is
  // asked for an engine that supports the graph, and the graph cannot run. Empty: the current GPU of this process.
  std::string described;
  int capability = 0;  // of the described one, 90 for 9.0
};

// A planned graph, with its workspace.
class Graph {
 public:
  virtual ~Graph() = default;

  // Queues it on the current stream. pointer_of gives the device memory of a tensor by its name.
  virtual std::optional<Error> run(const std::function<void*(std::string_view)>& pointer_of) = 0;
};
using GraphPlan = Result<std::unique_ptr<Graph>>;

// Why no graph can be planned here, whatever its shape: a library or the frontend is missing.
std::optional<std::string> no_graphs();

// Softmax attention of grouped heads; the tensors have the names and shapes of the attention contracts.
struct AttentionGraph {
  DType dtype;  // of everything but lse, which is f32
  int64_t batch, heads, kv_heads, queries, keys, dim;
  bool head_major;                             // (B, heads, tokens, D), else (B, tokens, heads, D)
  bool causal;                                 // query i sees keys up to i + keys - queries
  float scale;                                 // of the scores
  std::optional<std::array<int64_t, 3>> bias;  // its extents over batch, heads and queries
  bool deterministic = false;                  // the backward: sums in one order, and equal bits in every run
  bool saves_lse = true;                       // the forward
  int64_t row = 0;                             // elements from one token of a head to the next, head-major; 0: dim
  int64_t slots = 0;                           // tokens from one key head to the next, head-major; 0: keys
};
GraphPlan plan_attention_forward(const AttentionGraph& shape, const GraphTarget& target);  // q k v (bias) → o (lse)
GraphPlan plan_attention_backward(const AttentionGraph& shape,
                                  const GraphTarget& target);  // … o lse do → dq dk dv (dbias)

// A tensor that the caller gives a graph. cuDNN takes at least three extents, the outermost first; one of 1 stands for
// every index of the others'.
struct GraphTensor {
  std::string name;
  DType dtype;
  std::vector<int64_t> extents, strides;  // strides in elements
};
GraphTensor flat(std::string name, DType dtype, int64_t elements);
GraphTensor matrix(std::string name, DType dtype, int64_t rows, int64_t cols, int64_t row_stride);

// An operation by cuDNN's name: one of CUDNN_POINTWISE_… without that, of one to three operands element by element
// (GEN_INDEX_1 is the index along the extent 1), "REDUCE_ADD" to the result's extents, or a norm over as many elements
// as it has weights:
//   RMS_NORM             x gamma eps → y rstd               LAYER_NORM            x gamma beta eps → y mean rstd
//   RMS_NORM_BACKWARD    dy x gamma rstd → dx dgamma        LAYER_NORM_BACKWARD   dy x gamma mean rstd → dx dgamma
//   dbeta
// Operands and results are names of the caller's tensors and of numbers; further names are results that only operations
// read, in f32, or as booleans from a comparison.
struct GraphNode {
  std::string operation;
  std::vector<std::string> operands, results;
};

// A graph that cuDNN compiles into one kernel or a few: the order of nodes is that of the work. It computes in f32.
struct GraphDescription {
  std::string what;  // in messages: "GELU"
  std::vector<GraphTensor> tensors;
  std::vector<std::pair<std::string, float>> numbers = {};
  std::vector<GraphNode> nodes;

  const GraphTensor* find(std::string_view name) const;  // null for what is no tensor of the caller
};
GraphPlan plan_graph(const GraphDescription& graph, const GraphTarget& target);

}  // namespace assay::vendor
