// embedding_backward: what it means. The gradient of an embedding table, gathered from the gradients of its tokens.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/embedding/problem.h"
#include "kernels/properties/agreement.h"
#include "reference/embedding_backward.h"

namespace assay::ops::embedding_backward {

constexpr double kLargest = 1e30;  // sums of 10^8 such elements are finite in f32

// Earlier gradients of the same kind as g. Beside ordinary initial values, those of f16's subnormal numbers that are
// not lost would all be rounded by half a unit or not at all, which no budget of independent errors foresees.
inline void make_initial(const Case& c, Rng& rng, Tensor& dw) {
  if (c.text("init") == "random") return apply_fill(c, rng, kLargest, dw);
  for (int64_t i = 0; i < dw.count(); ++i) dw.set(i, 0);
}

// Runs the variant on tokens that `source` picks out of the given ones; a token of -1 is one that must be skipped.
inline std::optional<std::string> with_tokens(const PropertyRun& run, const std::vector<int64_t>& source) {
  const auto tokens = static_cast<int64_t>(source.size());
  const int64_t dim = run.c.dim("dim"), vocab = run.c.dim("vocab");
  const Tensor &g = run.given.get("g"), &ids = run.given.get("ids");
  Case c = run.c;
  c.set("S", std::to_string(tokens));
  if (std::find(source.begin(), source.end(), -1) != source.end()) c.set("ids", "out_of_range");
  Tensors tensors;
  for (const Tensor& tensor : run.given) {
    if (tensor.name() == "g")
      tensors.emplace_back("g", g.dtype(), Role::input, std::vector{tokens, dim});
    else if (tensor.name() == "ids")
      tensors.emplace_back("ids", DType::u32, Role::input, std::vector{tokens});
    else
      tensors.push_back(tensor);
  }
  for (int64_t s = 0; s < tokens; ++s) {
    const int64_t from = source[static_cast<size_t>(s)];
    tensors.get("ids").set_bits(s, from < 0 ? static_cast<uint32_t>(vocab) : ids.bits(from));
    for (int64_t d = 0; d < dim; ++d)
      tensors.get("g").set_bits(s * dim + d, from < 0 ? from_double(g.dtype(), NAN) : g.bits(from * dim + d));
  }
  const auto again = run.run(c, std::move(tensors));
  if (!again) return again.error().line();
  return properties::first_disagreement(run, *again, {"dw"});
}

inline std::optional<std::string> order_matters(const PropertyRun& run) {
  std::vector<int64_t> reversed(static_cast<size_t>(run.c.dim("S")));
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return with_tokens(run, reversed);
}

// Ids without a row are added only where the case has some anyway: a kernel that was written for none of them has no
// such cases.
inline std::optional<std::string> missing_rows_matter(const PropertyRun& run) {
  if (run.c.text("ids") != "out_of_range") return std::nullopt;
  std::vector<int64_t> longer(static_cast<size_t>(run.c.dim("S")));
  std::iota(longer.begin(), longer.end(), 0);
  longer.insert(longer.end(), 3, -1);
  return with_tokens(run, longer);
}

// The output of stores instead of additions: for tokens with one id, the last one's gradient only.
inline void drop_duplicates(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t dim = c.dim("dim"), vocab = c.dim("vocab");
  const Tensor &g = given.get("g"), &ids = given.get("ids"), &initial = given.get("dw");
  for (int64_t s = 0; s < c.dim("S"); ++s) {
    const int64_t id = ids.bits(s);
    if (id >= vocab) continue;
    for (int64_t d = 0; d < dim; ++d) outputs[0][id * dim + d] = initial.at(id * dim + d) + g.at(s * dim + d);
  }
}

inline Contract contract() {
  return {
      .name = "embedding_backward",
      .summary = "dw[ids_s, d] += g_sd over all tokens s; tokens with ids_s >= vocab are skipped",
      .dims = {{.name = "S",
                .meaning = "tokens",
                .min = 0,
                .boundary = {31, 33, 257},
                .aliases = {"N", "T", "BT", "n_tokens", "num_tokens", "num_indices", "seq_len"}},
               embedding::width(),
               embedding::vocabulary()},
      .attrs = {embedding::ids(),
                {.name = "init", .meaning = "what dw holds before the run", .choices = {"zero", "random"}}},
      .tensors = {{.name = "g",
                   .shape = {"S", "dim"},
                   .magnitude = kLargest,
                   .aliases = {"dy", "dout", "grad", "grad_out", "grad_output"}},
                  embedding::ids_of_tokens(),
                  {.name = "dw",
                   .role = Role::accumulate,
                   .shape = {"vocab", "dim"},
                   .dtype = DType::f32,
                   .make = make_initial,
                   .aliases = {"dwte", "dweight", "grad_w", "grad_weight", "dtable"}}},
      .linear = true,
      .constraint = embedding::no_row,
      .adjust = embedding::admit_no_row,
      .reference = reference_from([](auto& io) { reference::embedding_backward(io); }),
      .properties = {{.name = "token_order",
                      .states = "reversing the tokens leaves dw as it was",
                      .broken = order_matters},
                     {.name = "missing_rows",
                      .states = "appending tokens whose ids have no row changes nothing",
                      .broken = missing_rows_matter}},
      .mutants = {{.name = "duplicates_dropped", .mutate = drop_duplicates}},
      .flops = [](const Case& c) { return static_cast<double>(c.dim("S") * c.dim("dim")); },
  };
}

}  // namespace assay::ops::embedding_backward
