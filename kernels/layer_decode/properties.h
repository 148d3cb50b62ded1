// layer_decode: the same tokens, one by one into a cache that they fill themselves, or all at once.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/op/contract.h"
#include "harness/op/registry.h"

namespace assay::ops::layer_decode {

inline constexpr int64_t kTokensMax = 4;

// The case of layer_forward over `tokens` tokens of the same widths.
inline Case prefill_case(const Case& c, int64_t tokens) {
  Case whole = c;
  whole.op = "layer_forward";
  whole.offset.reset();
  whole.params.clear();
  const Contract& contract = *find_op(whole.op);
  for (const DimSpec& dim : contract.dims)
    whole.set(dim.name, dim.name == "T" ? std::to_string(tokens) : c.text(dim.name));
  for (const AttrSpec& attr : contract.attrs)
    whole.set(attr.name, c.find(attr.name) ? c.text(attr.name) : attr.choices[0]);
  return whole;
}

// Token t: x, its lanes turned by 3 t, so that tokens differ and stay of one size.
inline double lane_of(const Tensor& x, int64_t own, int64_t t, int64_t lane) {
  return lane < own ? x.at((lane + 3 * t) % own) : NAN;
}

inline std::optional<std::string> decoding_differs_from_prefill(const PropertyRun& run) {
  const int64_t width = run.c.dim("aE"), own = width - run.c.dim("padE");
  const int64_t tokens = std::min({kTokensMax, run.c.dim("capacity"), run.c.dim("max_seq")});
  const Tensor& x = run.given.get("x");
  const Case whole = prefill_case(run.c, tokens);
  const Contract& prefill = *find_op(whole.op);
  Tensors all = make_tensors(prefill, whole);
  for (Tensor& tensor : all) {
    if (tensor.name() == "y" || tensor.absent()) continue;
    const Tensor& from = run.given.get(tensor.name());
    for (int64_t i = 0; i < tensor.count(); ++i)
      tensor.set(i, tensor.name() == "x" ? lane_of(x, own, i / width, i % width) : from.at(i));
  }
  const auto rows = prefill.reference.tracked(whole, all);
  Tensors given = run.given;
  for (const char* cache : {"k_cache", "v_cache"})
    for (int64_t i = 0; i < given.get(cache).count(); ++i) given.get(cache).set(i, NAN);
  for (int64_t t = 0; t < tokens; ++t) {
    Case one = run.c;
    one.set("idx", std::to_string(t));
    one.set("position", std::to_string(t));
    for (int64_t e = 0; e < width; ++e) given.get("x").set(e, lane_of(x, own, t, e));
    const std::vector<double> budget = run.budget_on(one, given, "y");
    Result<Tensors> got = run.run(one, given);
    if (!got) return got.error().what;
    for (int64_t e = 0; e < own; ++e) {
      const double want = rows[0](t, e).v, is = got->get("y").at(e);
      const double allowed = budget[static_cast<size_t>(e)] + kBudgetFactor * rows[0](t, e).spread();
      if (!(std::fabs(is - want) <= allowed))
        return fmt::format(
            "element {} of token {} is {:.9g} decoded and {:.9g} in the prefill, and may differ by {:.3g}", e, t, is,
            want, allowed);
    }
    given = std::move(*got);
  }
  return std::nullopt;
}

}  // namespace assay::ops::layer_decode
