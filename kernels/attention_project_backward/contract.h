// attention_project_backward: what it means. The gradients of attention_project: dattn of a head = dout Wo of the head,
// dWo = doutᵀ attn, dbo = Σ_t dout.
//
// dattn has the case's dtype and is overwritten. dWo has the layout of Wo; it and dbo are f32, as the gradients of
// weights of other ops, because they are added up over many steps. One attribute tells for both whether they are
// overwritten or added to. dbo is absent where the bias is.
#pragma once

#include "harness/op/contract.h"
#include "kernels/attention_project/properties.h"
#include "kernels/projection/problem.h"
#include "kernels/properties/second_run.h"
#include "reference/attention_project_backward.h"

namespace assay::ops::attention_project_backward {

using attention_project::is_by_head;
using attention_project::relaid;
using attention_project::weight_at;
using attention_project::wo_shape;

inline std::optional<std::string> layouts_differ(const PropertyRun& run) {
  Case other = run.c;
  other.set("wo", is_by_head(run.c) ? "by_row" : "by_head");
  const auto same = [](int64_t h) { return h; };
  Tensors given = run.given;
  for (const char* name : {"wo", "dwo"}) given.get(name) = relaid(run.c, run.given.get(name), other, same);
  Result<Tensors> got = run.run(other, std::move(given));
  if (!got) return got.error().what;
  got->get("dwo") = relaid(other, got->get("dwo"), run.c, same);
  return properties::first_disagreement(run, *got, {"dattn", "dwo", "dbo"});
}

// Each head's gradients come from that head alone.
inline std::optional<std::string> heads_matter(const PropertyRun& run) {
  const int64_t heads = run.c.dim("H"), of_head = run.c.dim("T") * run.c.dim("ad");
  if (heads < 2 || of_head == 0) return std::nullopt;
  const auto reverse = [&](Tensors& tensors) {
    for (const char* name : {"attn", "dattn"})
      tensors.get(name) = properties::reversed_slices(tensors.get(name), of_head);
    for (const char* name : {"wo", "dwo"})
      tensors.get(name) = relaid(run.c, tensors.get(name), run.c, [=](int64_t h) { return heads - 1 - h; });
  };
  Tensors given = run.given;
  reverse(given);
  Result<Tensors> got = run.run(run.c, std::move(given));
  if (!got) return got.error().what;
  reverse(*got);
  return properties::first_disagreement(run, *got, {"dattn", "dwo", "dbo"});
}

// dattn with Wo's element at(c, h, e, d) for each weight.
inline Mutant with_weights(std::string name, int64_t (*at)(const Case& c, int64_t h, int64_t e, int64_t d)) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor &dout = given.get("dout"), &wo = given.get("wo");
            const int64_t outs = c.dim("aE");
            for (int64_t h = 0; h < c.dim("H"); ++h)
              for (int64_t t = 0; t < c.dim("T"); ++t)
                for (int64_t d = 0; d < c.dim("ad"); ++d) {
                  double sum = 0;
                  for (int64_t e = 0; e < outs; ++e) sum += dout.at(t * outs + e) * wo.at(at(c, h, e, d));
                  outputs[0](h, t, d) = sum;
                }
          }};
}

inline void write_other_layout(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  const RefTensor<double> right = outputs[1];
  for (int64_t h = 0; h < c.dim("H"); ++h)
    for (int64_t e = 0; e < c.dim("aE"); ++e)
      for (int64_t d = 0; d < c.dim("ad"); ++d)
        outputs[1][weight_at(c, !is_by_head(c), e, h, d)] = right[weight_at(c, is_by_head(c), e, h, d)];
}

// Takes what the last token adds out of dWo and dbo.
inline void lose_last_token(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t tokens = c.dim("T"), lanes = c.dim("ad"), outs = c.dim("aE");
  if (tokens == 0) return;
  for (int64_t e = 0; e < outs; ++e) {
    const double gradient = given.get("dout").at((tokens - 1) * outs + e);
    if (!outputs[2].values.empty()) outputs[2][e] -= gradient;
    for (int64_t h = 0; h < c.dim("H"); ++h)
      for (int64_t d = 0; d < lanes; ++d)
        outputs[1][weight_at(c, is_by_head(c), e, h, d)] -=
            gradient * given.get("attn").at((h * tokens + tokens - 1) * lanes + d);
  }
}

inline void replace_dwo_only(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  if (c.text("dw") != "accumulate") return;
  for (int64_t i = 0; i < std::ssize(outputs[1].values); ++i) outputs[1][i] -= given.get("dwo").at(i);
}

inline void add_dbo_for_each_head(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  for (int64_t e = 0; e < std::ssize(outputs[2].values); ++e) {
    const double before = c.text("dw") == "accumulate" ? given.get("dbo").at(e) : 0;
    outputs[2][e] = before + static_cast<double>(c.dim("H")) * (outputs[2][e] - before);
  }
}

inline Contract contract() {
  return {
      .name = "attention_project_backward",
      .summary =
          "dattn_htd = sum_e dout_te Wo(e,h,d), dWo(e,h,d) = sum_t dout_te attn_htd, dbo_e = sum_t dout_te; the last "
          "two overwritten or added to",
      .dims = {projection::heads(), projection::lanes(), projection::embedding(), projection::tokens()},
      .attrs = {attention_project::layout_of_wo(),
                attention_project::biases(),
                {.name = "dw", .meaning = "what becomes of dwo and dbo", .choices = {"overwrite", "accumulate"}}},
      .tensors = {{.name = "dout",  // (T, aE)
                   .shape = {"T", "aE"},
                   .make = projection::make_values,
                   .aliases = {"dy", "d_out", "grad_out", "grad_output"}},
                  {.name = "attn",  // (H, T, ad)
                   .shape = {"H", "T", "ad"},
                   .make = projection::make_factor,
                   .aliases = {"x", "inp", "input", "attn_out"}},
                  {.name = "wo",  // (H, aE, ad) or (aE, H*ad)
                   .make = projection::make_factor,
                   .shape_by = wo_shape,
                   .aliases = {"w", "weight", "o_proj", "w_o"}},
                  {.name = "dattn",  // (H, T, ad)
                   .role = Role::output,
                   .shape = {"H", "T", "ad"},
                   .aliases = {"dx", "d_attn", "grad_attn", "grad_input"}},
                  {.name = "dwo",  // as wo
                   .role = Role::output,
                   .dtype = DType::f32,
                   .make = projection::make_values,
                   .shape_by = wo_shape,
                   .aliases = {"dweight", "grad_w", "grad_weight"},
                   .role_by = data::role_by("dw")},
                  {.name = "dbo",  // (aE), or absent
                   .role = Role::output,
                   .shape = {"aE"},
                   .dtype = DType::f32,
                   .make = projection::make_values,
                   .aliases = {"dbias", "grad_b", "grad_bias"},
                   .role_by = data::role_by("dw"),
                   .absent = absent_unless_listed("biases", "o")}},
      .linear = true,
      .reference = reference_from([](auto& io) { reference::attention_project_backward(io); }),
      .multiplies_matrices = true,
      .properties = {{.name = "layouts_agree",
                      .states = "the same weights in the other layout give the same gradients",
                      .broken = layouts_differ},
                     {.name = "heads_are_alike",
                      .states = "reversing the heads reverses dattn and dwo and leaves dbo",
                      .broken = heads_matter},
                     properties::second_run({"dattn", "dwo", "dbo"})},
      .mutants = {with_weights("wo_in_the_other_layout",
                               [](const Case& c, int64_t h, int64_t e, int64_t d) {
                                 return weight_at(c, !is_by_head(c), e, h, d);
                               }),
                  with_weights("wo_of_the_first_head", [](const Case& c, int64_t, int64_t e,
                                                          int64_t d) { return weight_at(c, is_by_head(c), e, 0, d); }),
                  {"dwo_in_the_other_layout", write_other_layout},
                  {"last_token_lost", lose_last_token},
                  {"dwo_replaced_where_dbo_accumulates", replace_dwo_only},
                  {"dbo_for_each_head", add_dbo_for_each_head}},
      .flops =
          [](const Case& c) {
            return 4.0 * static_cast<double>(c.dim("T") * c.dim("aE")) * static_cast<double>(c.dim("H") * c.dim("ad"));
          },
  };
}

}  // namespace assay::ops::attention_project_backward
