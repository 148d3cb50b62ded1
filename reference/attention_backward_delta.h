// attention_backward_delta in plain loops: a dot product for every head of every token.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

// Where delta has a head of a token, of all heads the `head`th: (B, S, H), or (B, H, S).
struct DeltaPlaces {
  int64_t batch, tokens, heads;
  bool is_head_major;

  explicit DeltaPlaces(const Case& c) : DeltaPlaces(c, c.text("delta_layout") == "head_major") {}
  DeltaPlaces(const Case& c, bool head_major)
      : batch(c.dim("B")), tokens(c.dim("S")), heads(c.dim("H")), is_head_major(head_major) {}

  int64_t of(int64_t head) const {
    const int64_t token = head / heads, b = token / tokens, s = token % tokens, h = head % heads;
    return is_head_major ? (b * heads + h) * tokens + s : head;
  }
  template <class F>
  void for_each(F f) const {  // f(head, place)
    for (int64_t head = 0; head < batch * tokens * heads; ++head) f(head, of(head));
  }
};

template <class S>
void attention_backward_delta(ReferenceIo<S>& io) {
  const int64_t dim = io.dim("D");
  const auto& grad = io.in("dO");   // (B, S, H*D)
  const auto& output = io.in("O");  // (B, S, H*D)
  auto& delta = io.out("delta");    // (B, S, H), or (B, H, S)
  const Rounding<S> round_product = io.rounding("products");

  DeltaPlaces(io.c()).for_each([&](int64_t head, int64_t place) {
    Sum<S> products;
    for (int64_t d = 0; d < dim; ++d) products.add(round_product(grad[head * dim + d] * output[head * dim + d]));
    delta[place] = products.value();
  });
}

}  // namespace assay::reference
