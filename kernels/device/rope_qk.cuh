// The sizes of a turn of queries and keys, and where their rows lie.
#pragma once

#include <cstdint>

#include "harness/op/variant.h"

namespace assay::device {

struct RopeArgs {
  int64_t tokens, heads, kv_heads, k_stride;
  int64_t dim, stride;  // lanes of a head, without and with its padding
  int64_t position;     // of token 0
  float sign;           // of the sines: -1 turns back
  bool neighbours;      // pairs are lanes 2i and 2i + 1, not i and i + dim / 2
  bool in_place;        // padding stays as it is

  __host__ __device__ int64_t half() const { return dim / 2; }
  __host__ __device__ int64_t q_at(int64_t head, int64_t token) const { return (head * tokens + token) * stride; }
  __host__ __device__ int64_t k_at(int64_t head, int64_t slot) const { return (head * k_stride + slot) * stride; }
  // The index where the angles of a token begin in the tables.
  __host__ __device__ int64_t angles_at(int64_t token) const { return (position + token) * half(); }
};

// The tensors of a launch. In place, outputs are the inputs.
template <class T>
struct RopeTensors {
  const T *q, *k;                // (heads, tokens, stride), (kv_heads, k_stride, stride)
  const float *cosines, *sines;  // (max_seq, dim / 2)
  T *q_out, *k_out;

  // The row of a token in head `head` of both tensors, q's heads first.
  __device__ const T* row(const RopeArgs& a, int64_t head, int64_t token) const {
    return head < a.heads ? q + a.q_at(head, token) : k + a.k_at(head - a.heads, token);
  }
  __device__ T* out_row(const RopeArgs& a, int64_t head, int64_t token) const {
    return head < a.heads ? q_out + a.q_at(head, token) : k_out + a.k_at(head - a.heads, token);
  }
};

inline RopeArgs rope_args(const Case& c) {
  return {.tokens = c.dim("T"),
          .heads = c.dim("H"),
          .kv_heads = c.dim("HK"),
          .k_stride = c.dim("k_stride"),
          .dim = c.dim("ad") - c.dim("pad"),
          .stride = c.dim("ad"),
          .position = c.dim("pos_offset"),
          .sign = c.text("direction") == "backward" ? -1.0f : 1.0f,
          .neighbours = c.text("pairs") == "neighbours",
          .in_place = c.text("alias") != "none"};
}

template <class T>
RopeTensors<T> rope_tensors(const Call& call) {
  return {call.in<T>("q"),       call.in<T>("k"),      call.in<float>("cos"),
          call.in<float>("sin"), call.out<T>("q_out"), call.out<T>("k_out")};
}

inline std::optional<int64_t> rope_element_at(const Case& c, std::string_view tensor,
                                              const std::vector<int64_t>& index) {
  const RopeArgs a = rope_args(c);
  if (tensor == "q" || tensor == "q_out") return a.q_at(index[0], index[1]) + index[2];
  if (tensor == "k" || tensor == "k_out") return a.k_at(index[0], index[1]) + index[2];
  return std::nullopt;
}

}  // namespace assay::device
