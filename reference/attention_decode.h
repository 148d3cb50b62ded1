// attention_decode in plain loops: one query per head, softmax over the slots of the cache that hold a token.
//
// Slots from kv_tokens on and the padding of heads are never looked at.
#pragma once

#include <cmath>
#include <vector>

#include "reference/attention.h"

namespace assay::reference {

// The numbers of a case. Mutants for the sensitivity audit are made by changing one of them.
struct DecodeShape {
  int64_t heads, kv_heads, dim, stride, keys;
  int64_t scale_dim;  // the scale is 1/sqrt of it
  bool interleaved_heads = false;

  int64_t kv_head(int64_t head) const { return interleaved_heads ? head % kv_heads : head / (heads / kv_heads); }
};

inline DecodeShape decode_shape(const Case& c) {
  const int64_t stride = c.dim("ad"), dim = stride - c.dim("pad");
  return {.heads = c.dim("H"),
          .kv_heads = c.dim("HK"),
          .dim = dim,
          .stride = stride,
          .keys = c.dim("kv_tokens"),
          .scale_dim = dim};
}

template <class S>
void attention_decode(ReferenceIo<S>& io, const DecodeShape& a) {
  const auto& q = io.in("q");  // (H, ad)
  const auto& k = io.in("k");  // (HK, capacity, ad)
  const auto& v = io.in("v");  // (HK, capacity, ad)
  auto& out = io.out("out");   // (H, ad)

  const int64_t capacity = io.dim("capacity");
  const S scale = shared(S(1) / sqrt(S(static_cast<double>(a.scale_dim))));
  const double flops = 4.0 * static_cast<double>(a.heads * a.keys) * static_cast<double>(a.dim);
  const MultipliedWeight<S> unrounded(io);
  io.each_row(a.heads, flops, [&](int64_t h) {
    const int64_t kv = a.kv_head(h);
    std::vector<S> scores;
    for (int64_t j = 0; j < a.keys; ++j)
      scores.push_back(dot(&q[h * a.stride], &k[(kv * capacity + j) * a.stride], a.dim) * scale);
    const SoftmaxRow<S> softmax = softmax_row(scores);
    std::vector<SoftmaxMean<S>> means(static_cast<size_t>(a.dim));
    MultipliedWeight<S> multiplied = unrounded;
    for (int64_t j = 0; j < a.keys; ++j) {
      const S weight = softmax.weights[static_cast<size_t>(j)];
      const S factor = multiplied(weight, softmax.sum);
      for (int64_t d = 0; d < a.dim; ++d) means[static_cast<size_t>(d)].add(weight, factor, v(kv, j, d));
    }
    const bool finite = std::isfinite(plain(softmax.maximum));  // else a weight is exp of infinity less infinity
    for (int64_t d = 0; d < a.dim; ++d) out(h, d) = finite ? means[static_cast<size_t>(d)].value(softmax.sum) : S(NAN);
    for (int64_t d = a.dim; d < a.stride; ++d) out(h, d) = S(0);
  });
}

}  // namespace assay::reference
