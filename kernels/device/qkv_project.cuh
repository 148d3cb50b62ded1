// The three projections of qkv_project as matrix products: x Wᵀ with all heads of a projection side by side, of which
// every head goes to a place of its own.
#pragma once

#include "kernels/device/formats.cuh"
#include "kernels/device/gemm.cuh"
#include "kernels/device/quantised.cuh"

namespace assay::device {

// The target of a head's tokens: (heads, slots, lanes).
struct HeadPlaces {
  int64_t slots, lanes;

  __host__ __device__ int64_t at(int64_t head, int64_t slot, int64_t lane) const {
    return (head * slots + slot) * lanes + lane;
  }
};

template <class T>
struct Projection {
  const T* w;         // (heads, lanes, ins)
  const float* bias;  // (heads, lanes), or null
  T* out;             // (heads, slots, lanes)
  int64_t heads;
  HeadPlaces places;

  __host__ __device__ int64_t cols() const { return heads * places.lanes; }
};

template <class T>
struct Projections {
  const T* x;  // (tokens, ins)
  int64_t tokens, ins;
  Projection<T> each[3];  // q, k, v
};

template <class T>
Projections<T> projections(const Call& call) {
  const int64_t heads = call.dim("H"), kv_heads = call.dim("HK"), lanes = call.dim("ad");
  const HeadPlaces queries = {call.dim("T"), lanes}, cache = {call.dim("kv_stride"), lanes};
  return {.x = call.in<T>("x"),
          .tokens = call.dim("T"),
          .ins = call.dim("aE"),
          .each = {{call.in<T>("wq"), call.in<float>("bq"), call.out<T>("q"), heads, queries},
                   {call.in<T>("wk"), call.in<float>("bk"), call.out<T>("k"), kv_heads, cache},
                   {call.in<T>("wv"), call.in<float>("bv"), call.out<T>("v"), kv_heads, cache}}};
}

__host__ __device__ inline GemmArgs projection_args(int64_t tokens, int64_t ins, int64_t cols) {
  return {.rows = tokens, .cols = cols, .depth = ins};
}

inline std::optional<int64_t> qkv_project_element_at(const Case& c, std::string_view tensor,
                                                     const std::vector<int64_t>& index) {
  const int64_t lanes = c.dim("ad"), ins = c.dim("aE");
  const GemmArgs args = projection_args(c.dim("T"), ins, c.dim("H") * lanes);
  if (is_in_blocks(c, std::string(tensor)))
    return quantised_element_at(c.text(std::string(tensor) + "_format"), ins, {index[0] * lanes + index[1], index[2]});
  if (tensor == "x") return args.a.at(index[0], index[1]);
  if (tensor == "wq" || tensor == "wk" || tensor == "wv") return args.b.at(index[0] * lanes + index[1], index[2]);
  if (tensor == "q") return HeadPlaces{c.dim("T"), lanes}.at(index[0], index[1], index[2]);
  if (tensor == "k" || tensor == "v") return HeadPlaces{c.dim("kv_stride"), lanes}.at(index[0], index[1], index[2]);
  return std::nullopt;
}

}  // namespace assay::device
