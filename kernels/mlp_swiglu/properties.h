// Facts that hold of a feed-forward layer, whatever the reference says.
#pragma once

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"
#include "kernels/properties/rows.h"

namespace assay::ops::mlp_swiglu {

inline bool has_h(const Case& c) { return c.text("form") == "prefill"; }
inline bool has_g(const Case& c) { return c.text("form") != "fused"; }

// The tensors for a run of `form` with one token: token `t` of the case, and results to be written.
inline Tensors one_token_of(const Tensors& given, const Case& one, int64_t t) {
  Tensors tensors;
  for (const Tensor& from : given) {
    if (from.name() == "x") {
      const int64_t width = from.shape()[1];
      Tensor& row = tensors.emplace_back("x", from.dtype(), Role::input, std::vector{int64_t{1}, width});
      for (int64_t e = 0; e < width; ++e) row.set_bits(e, from.bits(t * width + e));
    } else if (is_written(from.role())) {
      const bool there = from.name() == "y" || (from.name() == "g" ? has_g(one) : has_h(one));
      const int64_t cols = (from.name() == "h" ? 2 : 1) * one.dim(from.name() == "y" ? "aE" : "aI");
      Tensor& result = tensors.emplace_back(from.name(), from.dtype(), Role::output,
                                            there ? std::vector{int64_t{1}, cols} : std::vector{int64_t{0}});
      if (!there) result.set_absent();
      result.poison(Poison::first);
    } else {
      tensors.push_back(from);
    }
  }
  return tensors;
}

// The last token by another `form`.
inline std::optional<std::string> differs_as(const PropertyRun& run, const char* form) {
  const int64_t last = run.c.dim("T") - 1, width = run.c.dim("aE");
  if (last < 0 || run.c.text("form") == form) return std::nullopt;
  Case one = run.c;
  one.set("T", "1");
  one.set("form", form);
  const Result<Tensors> got = run.run(one, one_token_of(run.given, one, last));
  if (!got) return got.error().what;
  Tensor row("y", run.got.get("y").dtype(), Role::output, {1, width});
  for (int64_t e = 0; e < width; ++e) row.set_bits(e, run.got.get("y").bits(last * width + e));
  const std::vector<double> budget = run.budget("y");
  return properties::first_disagreement(row, got->get("y"), {budget.end() - width, budget.end()});
}

inline std::vector<Property> properties() {
  std::vector<Property> all;
  for (const char* form : {"prefill", "token", "fused"})
    all.push_back({.name = std::string("agrees_with_") + form,
                   .states = std::string("the last token by form=") + form + " gives the same y",
                   .broken = [form](const PropertyRun& run) { return differs_as(run, form); }});
  all.push_back({.name = "tokens_are_independent",
                 .states = "reversing the tokens reverses h, g and y",
                 .broken = [](const PropertyRun& run) -> std::optional<std::string> {
                   std::vector<std::string> written = {"y"};
                   if (has_g(run.c)) written.push_back("g");
                   if (has_h(run.c)) written.push_back("h");
                   return properties::rows_are_independent({"x"}, written).broken(run);
                 }});
  return all;
}

}  // namespace assay::ops::mlp_swiglu
