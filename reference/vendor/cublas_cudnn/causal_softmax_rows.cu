// causal_softmax and its backward by cuDNN's softmax of rows, between kernels of ours that leave hidden columns out.
//
// cuDNN has no mask here, so rows of all tokens are copied to a workspace in f32, hidden scores as minus infinity and
// hidden probabilities and gradients as 0. Half of what it then computes is thrown away.
#include "harness/op/variant.h"
#include "reference/vendor/cudnn/softmax_rows.h"
#include "reference/vendor/workspace.h"

namespace {

using namespace assay::vendor;
using assay::Case;

// (heads, tokens, tokens) without gaps, and the same elements among (heads, width, width).
struct Shape {
  int64_t heads, tokens, width;
  explicit Shape(const Case& c) : heads(c.dim("H")), tokens(c.dim("T")), width(c.dim("aw")) {}
  int64_t rows() const { return heads * tokens; }
  int64_t slot_bytes() const { return align_workspace(rows() * tokens * static_cast<int64_t>(sizeof(float))); }
  assay::Launch launch() const {
    return {.grid = dim3(assay::ceil_div(tokens, 128), static_cast<unsigned>(tokens), static_cast<unsigned>(heads)),
            .block = dim3(128)};
  }
};

template <class T>
__global__ void gather(const T* from, float* to, int64_t tokens, int64_t width, float scale, float hidden) {
  const int64_t col = blockIdx.x * int64_t{blockDim.x} + threadIdx.x, row = blockIdx.y, head = blockIdx.z;
  if (col >= tokens) return;
  const float seen = col <= row ? static_cast<float>(from[(head * width + row) * width + col]) * scale : hidden;
  to[(head * tokens + row) * tokens + col] = seen;
}

template <class T>
__global__ void scatter(const float* from, T* to, int64_t tokens, int64_t width, float scale) {
  const int64_t col = blockIdx.x * int64_t{blockDim.x} + threadIdx.x, row = blockIdx.y, head = blockIdx.z;
  if (col >= tokens) return;
  const float seen = col <= row ? from[(head * tokens + row) * tokens + col] * scale : 0.0f;
  to[(head * width + row) * width + col] = static_cast<T>(seen);
}

float* slot(const assay::Call& call, const Shape& shape, int64_t i) {
  return reinterpret_cast<float*>(call.workspace<char>() + i * shape.slot_bytes());
}

void forward(assay::Call& call) {
  const Shape s(call.c());
  float *const x = slot(call, s, 0), *const y = slot(call, s, 1);
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(gather<T>, s.launch(), call.in<T>("scores"), x, s.tokens, s.width, call.real("scale"), -INFINITY);
    softmax_rows({s.rows(), s.tokens}, x, y);
    assay::launch(scatter<T>, s.launch(), y, call.out<T>("probs"), s.tokens, s.width, 1.0f);
  });
}

void backward(assay::Call& call) {
  const Shape s(call.c());
  float *const y = slot(call, s, 0), *const dy = slot(call, s, 1), *const dx = slot(call, s, 2);
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(gather<T>, s.launch(), call.in<T>("w"), y, s.tokens, s.width, 1.0f, 0.0f);
    assay::launch(gather<T>, s.launch(), call.in<T>("dp"), dy, s.tokens, s.width, 1.0f, 0.0f);
    softmax_rows_backward({s.rows(), s.tokens}, y, dy, dx);
    assay::launch(scatter<T>, s.launch(), dx, call.out<T>("ds"), s.tokens, s.width, call.real("scale"));
  });
}

std::optional<std::string> unsupported(const Case& c) {
  const Shape s(c);
  if (c.op == "causal_softmax" && c.dtype == assay::DType::f32 && c.fill == "largest")
    return "to cuDNN's softmax a hidden score is no less than the lowest float";
  if (s.heads > 65535 || s.tokens > 65535) return "its grids have at most 65535 rows and heads";
  return no_softmax(s.rows(), s.tokens);
}

const assay::RegisterVariant kForward({.op = "causal_softmax",
                                       .name = "cudnn_softmax_of_rows",
                                       .summary = "cudnnSoftmaxForward of rows in f32 whose hidden scores are -inf",
                                       .vendor = "cuDNN",
                                       .unsupported = unsupported,
                                       .workspace_bytes = [](const Case& c) { return 2 * Shape(c).slot_bytes(); },
                                       .run = forward});
const assay::RegisterVariant kBackward({.op = "causal_softmax_backward",
                                        .name = "cudnn_softmax_of_rows",
                                        .summary = "cudnnSoftmaxBackward of rows in f32 whose hidden elements are 0",
                                        .vendor = "cuDNN",
                                        .unsupported = unsupported,
                                        .workspace_bytes = [](const Case& c) { return 3 * Shape(c).slot_bytes(); },
                                        .run = backward});

}  // namespace
