// The gradients of qkv_project as matrix products of each head: its part of dx, and its dW.
#pragma once

#include "kernels/device/gemm.cuh"

namespace assay::device {

template <class T>
struct ProjectionGradient {
  const T *dy, *w;  // (heads, tokens, lanes), (heads, lanes, ins)
  float *dw, *db;   // (heads, lanes, ins), and (heads, lanes) or null
  int64_t heads;
};

struct QkvBackwardSizes {
  int64_t tokens, lanes, ins;
  bool accumulates;

  __host__ __device__ int64_t dy_at(int64_t head, int64_t token, int64_t lane) const {
    return (head * tokens + token) * lanes + lane;
  }
  __host__ __device__ int64_t w_at(int64_t head, int64_t lane, int64_t in) const {
    return (head * lanes + lane) * ins + in;
  }
  // dx (tokens, ins) += dy W of a head.
  __host__ __device__ GemmArgs dx_args() const { return {.rows = tokens, .cols = ins, .depth = lanes, .b = by_k(ins)}; }
  // dW (lanes, ins) = dyᵀ x of a head.
  __host__ __device__ GemmArgs dw_args() const {
    return {.rows = lanes, .cols = ins, .depth = tokens, .a = by_k(lanes), .b = by_k(ins), .accumulates = accumulates};
  }
};

inline QkvBackwardSizes qkv_backward_sizes(const Case& c) {
  return {.tokens = c.dim("T"), .lanes = c.dim("ad"), .ins = c.dim("aE"), .accumulates = c.text("dw") == "accumulate"};
}

template <class T>
struct QkvBackward {
  const T* x;  // (tokens, ins)
  T* dx;       // (tokens, ins)
  QkvBackwardSizes size;
  ProjectionGradient<T> each[3];  // of q, k, v
};

template <class T>
QkvBackward<T> qkv_backward(const Call& call) {
  const auto gradient = [&](const char* dy, const char* w, const char* dw, const char* db, int64_t heads) {
    return ProjectionGradient<T>{call.in<T>(dy), call.in<T>(w), call.out<float>(dw), call.out<float>(db), heads};
  };
  const int64_t heads = call.dim("H"), kv_heads = call.dim("HK");
  return {.x = call.in<T>("x"),
          .dx = call.out<T>("dx"),
          .size = qkv_backward_sizes(call.c()),
          .each = {gradient("dq", "wq", "dwq", "dbq", heads), gradient("dk", "wk", "dwk", "dbk", kv_heads),
                   gradient("dv", "wv", "dwv", "dbv", kv_heads)}};
}

inline std::optional<int64_t> qkv_backward_element_at(const Case& c, std::string_view tensor,
                                                      const std::vector<int64_t>& index) {
  const QkvBackwardSizes size = qkv_backward_sizes(c);
  if (tensor == "x") return size.dw_args().b.at(index[1], index[0]);
  if (tensor == "dx") return size.dx_args().c_at(index[0], index[1]);
  if (index.size() != 3) return std::nullopt;
  return tensor.find('w') == std::string_view::npos ? size.dy_at(index[0], index[1], index[2])
                                                    : size.w_at(index[0], index[1], index[2]);
}

}  // namespace assay::device
