// Operations that cuDNN plans as graphs, through NVIDIA's cudnn-frontend: attention and RMSNorm.
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
};
GraphPlan plan_attention_forward(const AttentionGraph& shape, const GraphTarget& target);  // q k v (bias) → o lse
GraphPlan plan_attention_backward(const AttentionGraph& shape,
                                  const GraphTarget& target);  // … o lse do → dq dk dv (dbias)

// y = x·rstd·gamma with rstd = 1/sqrt(mean(x²) + eps) of every row. x, y, g, dx: (rows, dim); gamma: (dim), in their
// dtype for the forward and in f32 for the backward; rstd: (rows) f32; dw: (dim) f32.
struct RmsNormGraph {
  DType dtype;
  int64_t rows, dim;
  float eps;
};
GraphPlan plan_rms_norm_forward(const RmsNormGraph& shape, const GraphTarget& target);   // x gamma → y rstd
GraphPlan plan_rms_norm_backward(const RmsNormGraph& shape, const GraphTarget& target);  // x gamma rstd g → dx dw

}  // namespace assay::vendor
