// The data of attention_decode: caches of which some slots are dead, and queries whose scores are not too far apart.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/op/contract.h"
#include "kernels/heads/values.h"
#include "reference/attention_decode.h"

namespace assay::ops::attention_decode {

// NaN in the padding of heads, and in all of a slot that holds no token. `slots`: of each head.
inline void kill(const Case& c, Tensor& tensor, int64_t slots, int64_t alive) {
  const int64_t stride = c.dim("ad"), dim = stride - c.dim("pad");
  for (int64_t i = 0; i < tensor.count(); ++i)
    if (i % stride >= dim || i / stride % slots >= alive) tensor.set(i, NAN);
}

inline void make_queries(const Case& c, Rng& rng, Tensor& q) {
  heads::make_queries(c, rng, q);
  kill(c, q, 1, 1);
}

inline void make_keys(const Case& c, Rng& rng, Tensor& keys) {
  heads::make_keys(c, rng, c.dim("capacity"), keys);
  kill(c, keys, c.dim("capacity"), c.dim("kv_tokens"));
}

inline void make_cache(const Case& c, Rng& rng, Tensor& cache) {
  heads::make_partner(c, rng, cache);
  kill(c, cache, c.dim("capacity"), c.dim("kv_tokens"));
}

// The output of two blocks with half of the keys each, whose sums are added although each counts from a maximum of its
// own.
inline void merge_without_maximum(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const reference::DecodeShape a = reference::decode_shape(c);
  const Tensor &q = given.get("q"), &k = given.get("k"), &v = given.get("v");
  const int64_t capacity = c.dim("capacity");
  for (int64_t h = 0; h < a.heads; ++h) {
    const int64_t cache = a.kv_head(h) * capacity * a.stride;
    double total = 0;
    std::vector<double> sums(static_cast<size_t>(a.dim));
    for (const auto& [first, end] : {std::pair(int64_t{0}, a.keys / 2), std::pair(a.keys / 2, a.keys)}) {
      std::vector<double> scores;
      for (int64_t j = first; j < end; ++j) {
        double product = 0;
        for (int64_t d = 0; d < a.dim; ++d) product += q.at(h * a.stride + d) * k.at(cache + j * a.stride + d);
        scores.push_back(product / std::sqrt(static_cast<double>(a.dim)));
      }
      const double maximum = scores.empty() ? 0 : *std::max_element(scores.begin(), scores.end());
      for (int64_t j = first; j < end; ++j) {
        const double weight = std::exp(scores[static_cast<size_t>(j - first)] - maximum);
        total += weight;
        for (int64_t d = 0; d < a.dim; ++d) sums[static_cast<size_t>(d)] += weight * v.at(cache + j * a.stride + d);
      }
    }
    for (int64_t d = 0; d < a.dim; ++d) outputs[0](h, d) = sums[static_cast<size_t>(d)] / total;
  }
}

}  // namespace assay::ops::attention_decode
