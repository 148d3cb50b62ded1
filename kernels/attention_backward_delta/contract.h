// attention_backward_delta: what it means. It makes delta, which attention's backward pass subtracts from the gradient
// of every probability: the dot product of a head's output with its gradient, in f32 for every dtype.
//
// Magnitudes up to 1e15 keep sums of 10^8 products finite in f32.
#pragma once

#include <cmath>

#include "harness/op/contract.h"
#include "kernels/data/tensors.h"
#include "kernels/properties/scale.h"
#include "kernels/properties/slices.h"
#include "reference/attention_backward_delta.h"

namespace assay::ops::attention_backward_delta {

inline constexpr double kLargest = 1e15;

inline std::optional<std::string> changed_by_exchange(const PropertyRun& run) {
  const Tensor &grad = run.given.get("dO"), &output = run.given.get("O");
  Tensors given = run.given;
  for (int64_t i = 0; i < grad.count(); ++i) {
    given.get("dO").set_bits(i, output.bits(i));
    given.get("O").set_bits(i, grad.bits(i));
  }
  const Result<Tensors> got = run.run(run.c, std::move(given));
  return got ? properties::first_disagreement(run, *got, {"delta"}) : got.error().what;
}

// delta as [B, H, S], the layout of an attention that keeps its heads together.
inline void write_head_major(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  const int64_t tokens = c.dim("S"), heads = c.dim("H");
  const RefTensor<double> right = outputs[0];
  for (int64_t b = 0; b < c.dim("B"); ++b)
    for (int64_t s = 0; s < tokens; ++s)
      for (int64_t h = 0; h < heads; ++h)
        outputs[0][(b * heads + h) * tokens + s] = right[(b * tokens + s) * heads + h];
}

// The sum over a head of product(i), i the index of its elements in dO and O.
template <class Product>
void sum_heads(const Case& c, std::vector<RefTensor<double>>& outputs, Product product) {
  const int64_t dim = c.dim("D");
  for (size_t head = 0; head < outputs[0].values.size(); ++head) {
    outputs[0].values[head] = 0;
    for (int64_t d = 0; d < dim; ++d) outputs[0].values[head] += product(static_cast<int64_t>(head) * dim + d);
  }
}

inline void multiply_next_head(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor &grad = given.get("dO"), &output = given.get("O");
  sum_heads(c, outputs, [&](int64_t i) { return grad.at(i) * output.at((i + c.dim("D")) % output.count()); });
}

inline void leave_out_last_element(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor &grad = given.get("dO"), &output = given.get("O");
  const int64_t dim = c.dim("D");
  sum_heads(c, outputs, [&](int64_t i) { return i % dim == dim - 1 ? 0 : grad.at(i) * output.at(i); });
}

inline Contract contract() {
  return {
      .name = "attention_backward_delta",
      .summary = "delta_bsh = sum_d dO_bshd O_bshd, in f32 for every dtype",
      .dims = {{.name = "B", .meaning = "sequences of the batch", .aliases = {"batch", "batch_size"}, .repeats = true},
               {.name = "S", .meaning = "tokens of a sequence", .min = 0, .aliases = {"T", "N", "seq_len"}},
               {.name = "H", .meaning = "heads", .aliases = {"NH", "heads", "num_heads", "n_heads"}, .repeats = true},
               {.name = "D",
                .meaning = "elements of a head",
                .boundary = {48, 80, 112, 192},
                .aliases = {"HS", "head_dim", "head_size"}}},
      .repeats_along = {"B", "S"},
      .tensors = {{.name = "dO",
                   .shape = {"B", "S", "H*D"},
                   .magnitude = kLargest,
                   .aliases = {"dout", "dy", "grad_out", "grad_output"}},
                  {.name = "O",
                   .shape = {"B", "S", "H*D"},
                   .make = data::partner_up_to(kLargest),
                   .aliases = {"out", "output", "y", "att"}},
                  {.name = "delta",
                   .role = Role::output,
                   .shape = {"B", "S", "H"},
                   .dtype = DType::f32,
                   .aliases = {"dsum", "softmax_d", "dpsum", "dsoftmax_sum"}}},
      .reference = reference_from([](auto& io) { reference::attention_backward_delta(io); }),
      .roundings = {{"products", "dO O of every element, stored before they are added up"}},
      .properties = {properties::slices_are_independent({{"dO", {"D"}}, {"O", {"D"}}}, {{"delta", {}}}),
                     properties::doubles_with({"dO"}, {"delta"}),
                     {.name = "symmetric",
                      .states = "exchanging dO and O leaves delta",
                      .broken = changed_by_exchange}},
      .mutants = {{"written_head_major", write_head_major},
                  {"next_head_multiplied", multiply_next_head},
                  {"last_element_left_out", leave_out_last_element}},
      .flops =
          [](const Case& c) { return 2.0 * static_cast<double>(c.dim("B") * c.dim("S") * c.dim("H") * c.dim("D")); },
  };
}

}  // namespace assay::ops::attention_backward_delta
