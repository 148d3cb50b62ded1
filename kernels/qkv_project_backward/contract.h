// qkv_project_backward: what it means. The gradients of qkv_project: dx = Σ over all heads of q, k and v of dY W, and
// for each of them dW = dYᵀ x and db = Σ_t dY.
//
// dx has the case's dtype and is overwritten. dW and db are f32, as the gradients of weights of other ops, because they
// are added up over many steps; one attribute tells for all of them whether they are overwritten or added to. A db is
// absent where its bias is. The gradients of k and v lie T rows apart, as attention's backward makes them.
#pragma once

#include "harness/op/contract.h"
#include "kernels/projection/problem.h"
#include "kernels/properties/rows.h"
#include "kernels/properties/second_run.h"
#include "kernels/properties/slices.h"
#include "reference/qkv_project_backward.h"

namespace assay::ops::qkv_project_backward {

// The written weights and biases of a case: absent ones have nothing to compare.
inline const std::vector<std::string> kOfWeights = {"dwq", "dwk", "dwv", "dbq", "dbk", "dbv"};

// Tokens in reverse order reverse dx, and dW and db are sums in another order.
inline std::optional<std::string> order_matters(const PropertyRun& run) {
  const int64_t tokens = run.c.dim("T"), lanes = run.c.dim("ad");
  if (tokens < 2) return std::nullopt;
  Tensors given = run.given;
  for (const char* name : {"dq", "dk", "dv"}) {
    const Tensor& from = run.given.get(name);
    for (int64_t row = 0; row < from.shape()[0] * tokens; ++row)
      for (int64_t d = 0; d < lanes; ++d)
        given.get(name).set_bits(row * lanes + d,
                                 from.bits((row / tokens * tokens + tokens - 1 - row % tokens) * lanes + d));
  }
  given.get("x") = properties::reversed_rows(run.given.get("x"));
  Result<Tensors> got = run.run(run.c, given);
  if (!got) return got.error().what;
  got->get("dx") = properties::reversed_rows(got->get("dx"));
  if (auto seen = properties::first_disagreement(run, *got, {"dx"})) return seen;
  return properties::first_disagreement_of(run, run.c, given, *got, kOfWeights);
}

// Heads of gradients and weights in reverse order: so are those of dW and db, and dx is a sum in another order.
inline std::optional<std::string> heads_matter(const PropertyRun& run) {
  const int64_t lanes = run.c.dim("ad"), of_tokens = run.c.dim("T") * lanes, of_weights = lanes * run.c.dim("aE");
  const std::vector<std::pair<std::vector<std::string>, int64_t>> by_length = {
      {{"dq", "dk", "dv"}, of_tokens},
      {{"wq", "wk", "wv", "dwq", "dwk", "dwv"}, of_weights},
      {{"dbq", "dbk", "dbv"}, lanes}};
  const auto reverse = [&](Tensors& tensors) {
    for (const auto& [names, length] : by_length)
      for (const std::string& name : names) tensors.get(name) = properties::reversed_slices(tensors.get(name), length);
  };
  Tensors given = run.given;
  reverse(given);
  Result<Tensors> got = run.run(run.c, given);
  if (!got) return got.error().what;
  if (auto seen = properties::first_disagreement_of(run, run.c, given, *got, {"dx"})) return seen;
  reverse(*got);
  return properties::first_disagreement(run, *got, kOfWeights);
}

inline constexpr const char* kGradients[] = {"dq", "dk", "dv"};
inline constexpr const char* kWeights[] = {"wq", "wk", "wv"};

// dx of the projections `first` … `end` - 1 alone.
inline Mutant sum_from(std::string name, size_t first, size_t end, bool transposed = false) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const int64_t tokens = c.dim("T"), lanes = c.dim("ad"), ins = c.dim("aE");
            for (int64_t t = 0; t < tokens; ++t)
              for (int64_t e = 0; e < ins; ++e) {
                double sum = 0;
                for (size_t p = first; p < end; ++p)
                  for (int64_t h = 0; h < given.get(kGradients[p]).shape()[0]; ++h)
                    sum += projection::sum_of_products(
                        given.get(kGradients[p]), {(h * tokens + t) * lanes}, given.get(kWeights[p]),
                        {h * lanes * ins + (transposed ? e * lanes : e), transposed ? 1 : ins}, lanes);
                outputs[0](t, e) = sum;
              }
          }};
}

// Takes what the last token adds out of dW and db.
inline void lose_last_token(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t last = c.dim("T") - 1, lanes = c.dim("ad"), ins = c.dim("aE");
  if (last < 0) return;
  for (size_t p = 0; p < 3; ++p) {
    const Tensor& dy = given.get(kGradients[p]);
    for (int64_t i = 0; i < dy.shape()[0] * lanes; ++i) {
      const double gradient = dy.at((i / lanes * (last + 1) + last) * lanes + i % lanes);
      if (!outputs[4 + p].values.empty()) outputs[4 + p][i] -= gradient;
      for (int64_t e = 0; e < ins; ++e) outputs[1 + p][i * ins + e] -= gradient * given.get("x").at(last * ins + e);
    }
  }
}

// dW of a head as (aE, ad): what a column-major view of it writes.
inline void transpose_dw(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  const int64_t lanes = c.dim("ad"), ins = c.dim("aE");
  for (size_t p = 1; p <= 3; ++p) {
    const RefTensor<double> right = outputs[p];
    for (int64_t h = 0; h < right.shape[0]; ++h)
      for (int64_t d = 0; d < lanes; ++d)
        for (int64_t e = 0; e < ins; ++e) outputs[p][(h * ins + e) * lanes + d] = right(h, d, e);
  }
}

inline void replace_dw_only(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  if (c.text("dw") != "accumulate") return;
  for (size_t p = 0; p < 3; ++p)
    for (int64_t i = 0; i < std::ssize(outputs[1 + p].values); ++i) outputs[1 + p][i] -= given.get(kOfWeights[p]).at(i);
}

inline TensorSpec input(std::string name, ShapeText shape, MakeTensor make, std::vector<std::string> aliases) {
  return {.name = std::move(name), .shape = std::move(shape), .make = std::move(make), .aliases = std::move(aliases)};
}
inline TensorSpec gradient(std::string name, ShapeText shape, std::string listed = "") {
  TensorSpec spec{.name = std::move(name),
                  .role = Role::output,
                  .shape = std::move(shape),
                  .dtype = DType::f32,
                  .make = projection::make_values,
                  .role_by = data::role_by("dw")};
  if (!listed.empty()) spec.absent = absent_unless_listed("biases", std::move(listed));
  return spec;
}

inline Contract contract() {
  const ShapeText of_queries = {"H", "ad", "aE"}, of_keys = {"HK", "ad", "aE"};
  return {
      .name = "qkv_project_backward",
      .summary =
          "dx_te = sum over q, k, v and heads of sum_d dy_htd W_hde; of each dW_hde = sum_t dy_htd x_te and "
          "db_hd = sum_t dy_htd, overwritten or added to",
      .dims = {projection::heads(), projection::kv_heads(), projection::lanes(), projection::embedding(),
               projection::tokens()},
      .attrs = {{.name = "biases", .meaning = "which there are", .choices = {"none", "q", "k", "v", "q,k,v"}},
                {.name = "dw", .meaning = "what becomes of dW and db", .choices = {"overwrite", "accumulate"}}},
      .tensors = {input("dq", {"H", "T", "ad"}, projection::make_values, {"d_q", "grad_q"}),   // (H, T, ad)
                  input("dk", {"HK", "T", "ad"}, projection::make_values, {"d_k", "grad_k"}),  // (HK, T, ad)
                  input("dv", {"HK", "T", "ad"}, projection::make_values, {"d_v", "grad_v"}),  // (HK, T, ad)
                  input("x", {"T", "aE"}, projection::make_factor, {"inp", "input"}),          // (T, aE)
                  input("wq", of_queries, projection::make_factor, {"q_proj", "w_q"}),         // (H, ad, aE)
                  input("wk", of_keys, projection::make_factor, {"k_proj", "w_k"}),            // (HK, ad, aE)
                  input("wv", of_keys, projection::make_factor, {"v_proj", "w_v"}),            // (HK, ad, aE)
                  {.name = "dx",                                                               // (T, aE)
                   .role = Role::output,
                   .shape = {"T", "aE"},
                   .aliases = {"d_x", "dinp", "grad_input"}},
                  gradient("dwq", of_queries),          // (H, ad, aE)
                  gradient("dwk", of_keys),             // (HK, ad, aE)
                  gradient("dwv", of_keys),             // (HK, ad, aE)
                  gradient("dbq", {"H", "ad"}, "q"),    // (H, ad), or absent
                  gradient("dbk", {"HK", "ad"}, "k"),   // (HK, ad), or absent
                  gradient("dbv", {"HK", "ad"}, "v")},  // (HK, ad), or absent
      .linear = true,
      .constraint = attention::heads_do_not_divide,
      .adjust = attention::make_heads_divide,
      .reference = reference_from([](auto& io) { reference::qkv_project_backward(io); }),
      .multiplies_matrices = true,
      .properties = {{.name = "token_order",
                      .states = "reversing the tokens reverses dx and leaves dW and db",
                      .broken = order_matters},
                     {.name = "head_order",
                      .states = "reversing the heads reverses dW and db and leaves dx",
                      .broken = heads_matter},
                     properties::second_run({"dx", "dwq", "dwk", "dwv", "dbq", "dbk", "dbv"})},
      .mutants = {sum_from("values_lost_from_dx", 0, 2),
                  sum_from("queries_lost_from_dx", 1, 3),
                  sum_from("weights_transposed", 0, 3, true),
                  {"last_token_lost", lose_last_token},
                  {"dw_transposed", transpose_dw},
                  {"dw_replaced_where_db_accumulates", replace_dw_only}},
      .flops =
          [](const Case& c) {
            return 4.0 * static_cast<double>(c.dim("T") * (c.dim("H") + 2 * c.dim("HK"))) *
                   static_cast<double>(c.dim("ad") * c.dim("aE"));
          },
  };
}

}  // namespace assay::ops::qkv_project_backward
