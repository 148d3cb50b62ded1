// new_op_name: what it means. This header is yours to edit: the contract states what a kernel reads and
// writes, the reference computes what is right. `assay new-op --like reduction` writes one with more comments.
//
// As it stands: attention of one head, o = softmax(q k^T / sqrt(width)) v.
#pragma once

#include "harness/op/contract.h"
#include "kernels/properties/rows.h"
#include "reference/attention.h"

namespace assay::ops::new_op_name {

// softmax_row and SoftmaxMean know how errors of the scores reach the mean: plain sums would allow for more of them.
template <class S>
void compute(ReferenceIo<S>& io) {
  const int64_t queries = io.dim("queries"), keys = io.dim("keys"), width = io.dim("width");
  const auto& q = io.in("q");  // (queries, width)
  const auto& k = io.in("k");  // (keys, width)
  const auto& v = io.in("v");  // (keys, width)
  auto& o = io.out("o");       // (queries, width)
  const S root = sqrt(S(static_cast<double>(width)));
  for (int64_t i = 0; i < queries; ++i) {
    std::vector<S> scores;
    for (int64_t j = 0; j < keys; ++j) scores.push_back(reference::dot(&q(i, 0), &k(j, 0), width) / root);
    const auto row = reference::softmax_row(scores);
    for (int64_t d = 0; d < width; ++d) {
      reference::SoftmaxMean<S> mean;
      for (int64_t j = 0; j < keys; ++j) {
        const S& weight = row.weights[static_cast<size_t>(j)];
        mean.add(weight, weight, v(j, d));
      }
      o(i, d) = mean.value(row.sum);
    }
  }
}

inline Contract contract() {
  constexpr double kLargest = 30;  // scores of such elements are finite
  return {
      .name = "new_op_name",  // as the file's name
      .summary = "o_i = sum_j p_ij v_j with p_i = softmax_j(q_i.k_j / sqrt(width))",
      .dims = {{.name = "queries", .meaning = "rows of q", .min = 0, .usual_max = 512, .aliases = {"Sq", "M"}},
               {.name = "keys", .meaning = "rows of k and v", .min = 1, .usual_max = 512, .aliases = {"Sk", "N"}},
               {.name = "width", .meaning = "elements of a row", .min = 1, .usual_max = 256, .aliases = {"D"}}},
      .tensors = {{.name = "q", .role = Role::input, .shape = {"queries", "width"}, .magnitude = kLargest},
                  {.name = "k", .role = Role::input, .shape = {"keys", "width"}, .magnitude = kLargest},
                  {.name = "v", .role = Role::input, .shape = {"keys", "width"}, .magnitude = kLargest},
                  {.name = "o", .role = Role::output, .shape = {"queries", "width"}}},
      .dtypes = {DType::f32, DType::bf16, DType::f16},
      .admits_infinity = false,
      .why_left_out = "an infinite score makes NaN or infinity, by the order in which a row is walked",
      .reference = reference_from([](auto& io) { compute(io); }),
      .properties = {properties::rows_are_independent({"q"}, {"o"})},
      .flops =
          [](const Case& c) { return 4.0 * static_cast<double>(c.dim("queries") * c.dim("keys") * c.dim("width")); },
  };
}

}  // namespace assay::ops::new_op_name
