// Facts that hold of the projection of an attention's output, whatever the reference says.
#pragma once

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"
#include "kernels/properties/scale.h"
#include "kernels/properties/slices.h"

namespace assay::ops::attention_project {

// The index of the weight of lane d of head h for element e, in each layout of Wo.
inline int64_t weight_at(const Case& c, bool by_head, int64_t e, int64_t h, int64_t d) {
  const int64_t heads = c.dim("H"), lanes = c.dim("ad"), outs = c.dim("aE");
  return by_head ? (h * outs + e) * lanes + d : (e * heads + h) * lanes + d;
}
inline bool is_by_head(const Case& c) { return c.text("wo") == "by_head"; }
inline ShapeText wo_shape(const Case& c) {
  return is_by_head(c) ? ShapeText{"H", "aE", "ad"} : ShapeText{"aE", "H*ad"};
}

inline AttrSpec layout_of_wo() {
  return {.name = "wo",
          .meaning = "how the weights are stored: by_head (H, aE, ad), by_row (aE, H*ad)",
          .choices = {"by_row", "by_head"}};
}
inline AttrSpec biases() { return {.name = "biases", .meaning = "which there are", .choices = {"none", "o"}}; }

// The same weights in the layout that `c` names, with head head_of(h) of `wo` as head h.
template <class HeadOf>
Tensor relaid(const Case& from, const Tensor& wo, const Case& c, HeadOf head_of) {
  const int64_t heads = c.dim("H"), lanes = c.dim("ad"), outs = c.dim("aE");
  Tensor result(wo.name(), wo.dtype(), wo.role(),
                is_by_head(c) ? std::vector{heads, outs, lanes} : std::vector{outs, heads * lanes});
  for (int64_t e = 0; e < outs; ++e)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t d = 0; d < lanes; ++d)
        result.set_bits(weight_at(c, is_by_head(c), e, h, d),
                        wo.bits(weight_at(from, is_by_head(from), e, head_of(h), d)));
  return result;
}

// Blocks reach over heads, which cannot be moved then.
inline bool has_blocks(const Case& c) { return c.text("wo_format") != "none" || c.text("activations") != "none"; }

inline std::optional<std::string> layouts_differ(const PropertyRun& run) {
  if (run.c.text("wo_format") != "none") return std::nullopt;
  Case other = run.c;
  other.set("wo", is_by_head(run.c) ? "by_row" : "by_head");
  Tensors given = run.given;
  given.get("wo") = relaid(run.c, run.given.get("wo"), other, [](int64_t h) { return h; });
  const Result<Tensors> got = run.run(other, std::move(given));
  if (!got) return got.error().what;
  return properties::first_disagreement(run, *got, {"out"});
}

inline std::optional<std::string> order_of_heads_counts(const PropertyRun& run) {
  const int64_t heads = run.c.dim("H");
  if (heads < 2 || run.c.dim("T") == 0 || has_blocks(run.c)) return std::nullopt;
  Tensors given = run.given;
  given.get("attn") = properties::reversed_slices(run.given.get("attn"), run.c.dim("T") * run.c.dim("ad"));
  given.get("wo") = relaid(run.c, run.given.get("wo"), run.c, [=](int64_t h) { return heads - 1 - h; });
  const Result<Tensors> got = run.run(run.c, given);
  if (!got) return got.error().what;
  return properties::first_disagreement_of(run, run.c, given, *got, {"out"});  // sums in another order
}

// The last token by itself, which is the case of decoding.
inline std::optional<std::string> last_token_differs_alone(const PropertyRun& run) {
  const int64_t last = run.c.dim("T") - 1, heads = run.c.dim("H"), lanes = run.c.dim("ad"), outs = run.c.dim("aE");
  if (last < 1) return std::nullopt;
  Case alone = run.c;
  alone.set("T", "1");
  // Row `last` of each of `count` groups of T rows of `cols` elements.
  const auto row_of = [&](const Tensor& tensor, std::vector<int64_t> shape, int64_t count, int64_t cols) {
    Tensor row(tensor.name(), tensor.dtype(), tensor.role(), std::move(shape));
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < cols; ++j) row.set_bits(i * cols + j, tensor.bits((i * (last + 1) + last) * cols + j));
    return row;
  };
  Tensors given = run.given;
  given.get("attn") = row_of(run.given.get("attn"), {heads, 1, lanes}, heads, lanes);
  given.get("out") = row_of(run.given.get("out"), {1, outs}, 1, outs);
  given.get("out").poison(Poison::first);
  const Result<Tensors> got = run.run(alone, std::move(given));
  if (!got) return got.error().what;
  const std::vector<double> budget = run.budget("out");
  return properties::first_disagreement(row_of(run.got.get("out"), {1, outs}, 1, outs), got->get("out"),
                                        {budget.end() - outs, budget.end()});
}

inline std::vector<Property> properties() {
  return {
      {.name = "layouts_agree",
       .states = "the same weights in the other layout give the same",
       .broken = layouts_differ},
      {.name = "order_of_heads",
       .states = "heads in reverse order, in attn and in the weights, give the same",
       .broken = order_of_heads_counts},
      {.name = "a_token_alone", .states = "the last token alone gives the same", .broken = last_token_differs_alone},
      properties::doubles_with({"attn", "bo"}, {"out"})};
}

}  // namespace assay::ops::attention_project
