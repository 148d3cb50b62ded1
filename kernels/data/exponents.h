// Data for attention in cases of fill=exponents: queries and keys whose scores are what the fill makes of a row.
//
// Elements of queries and keys are bounded, and scores of ordinary ones with them: a kernel that takes exponentials
// without their maximum is right there. Here all elements of a head have one size, and their signs are those of one
// vector that all heads share, so a score is a product of two numbers: 1, -1 or 1/2 of the query, and the fill's own of
// the key.
#pragma once

#include "harness/op/contract.h"

namespace assay::data {

inline bool asks_for_exponents(const Case& c) { return c.fill == "exponents"; }

// The case for values beside them, which are ordinary ones.
inline Case not_exponents(Case c) {
  if (asks_for_exponents(c)) c.fill = "normal";
  return c;
}

// Scores may be stored in f16, so no sum of an op on heads leaves it: see the magnitudes of their elements.
inline std::vector<OutOfReach> sums_that_f16_holds() {
  return {{"sum_size", "overflows f16", "elements of heads are bounded, so that a kernel may store scores in f16"}};
}

// Scores that are multiplied by `scale` before their exponentials are taken.
inline void divide_exponents(const Case& c, double scale, Tensor& scores) {
  for (int64_t i = 0; asks_for_exponents(c) && i < scores.count(); ++i) scores.set(i, scores.at(i) / scale);
}

// `row` elements of each head, of which the first `dim` count: `size` of a head by its place in memory.
template <class Size>
void make_heads_of_one_size(const Case& c, int64_t row, int64_t dim, Size size, Tensor& tensor) {
  Rng rng = Rng::stream(c.seed, "signs of heads");
  std::vector<double> signs;
  for (int64_t d = 0; d < row; ++d) signs.push_back(d >= dim ? 0 : rng.below(2) == 0 ? 1 : -1);
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.set(i, size(i / row) * signs[static_cast<size_t>(i % row)]);
}

inline void make_exponent_queries(const Case& c, Rng& rng, int64_t row, int64_t dim, Tensor& q) {
  constexpr double kSizes[] = {1, 1, -1, 0.5};
  std::vector<double> sizes;
  for (int64_t head = 0; head * row < q.count(); ++head) sizes.push_back(kSizes[rng.below(4)]);
  make_heads_of_one_size(
      c, row, dim, [&](int64_t head) { return sizes[static_cast<size_t>(head)]; }, q);
}

// The shape of a tensor of keys: so many for each head, and as many heads side by side as a token has in memory.
struct KeysInMemory {
  int64_t keys, heads_of_token, row, dim;
};

inline void make_exponent_keys(const Case& c, Rng& rng, const KeysInMemory& in, double scale, Tensor& k) {
  const int64_t heads = in.row == 0 ? 0 : k.count() / in.row;
  if (heads == 0 || in.keys == 0) return;
  Tensor scores("scores", DType::f32, Role::input, {heads / in.keys, in.keys});
  apply_fill(c, rng, 0, scores);
  const auto size = [&](int64_t at) {
    const int64_t token = at / in.heads_of_token, head = at % in.heads_of_token;
    const int64_t of_head = token / in.keys * in.heads_of_token + head;
    return scores.at(of_head * in.keys + token % in.keys) / (scale * static_cast<double>(in.dim));
  };
  make_heads_of_one_size(c, in.row, in.dim, size, k);
}

}  // namespace assay::data
