// Facts that hold of the projections to queries, keys and values, whatever the reference says.
#pragma once

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"
#include "kernels/properties/slices.h"

namespace assay::ops::qkv_project {

// Slot `slot` of each head of a tensor (heads, slots, lanes), as (heads, 1, lanes).
inline Tensor slot_of(const Tensor& tensor, int64_t slot) {
  const int64_t heads = tensor.shape()[0], slots = tensor.shape()[1], lanes = tensor.shape()[2];
  Tensor picked(tensor.name(), tensor.dtype(), tensor.role(), {heads, 1, lanes});
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t d = 0; d < lanes; ++d) picked.set_bits(h * lanes + d, tensor.bits((h * slots + slot) * lanes + d));
  return picked;
}

// The last token by itself, which is the case of decoding: T = 1, into a cache of one slot.
inline std::optional<std::string> last_token_differs_alone(const PropertyRun& run) {
  const int64_t last = run.c.dim("T") - 1, ins = run.c.dim("aE"), lanes = run.c.dim("ad");
  if (last < 0 || (last == 0 && run.c.dim("kv_stride") == 1)) return std::nullopt;
  Case alone = run.c;
  alone.set("T", "1");
  alone.set("kv_stride", "1");
  Tensors given;
  for (const Tensor& tensor : run.given) {
    if (is_written(tensor.role())) {
      given.push_back(slot_of(tensor, last));
      given.back().poison(Poison::first);
    } else if (tensor.name() == "x") {
      Tensor row(tensor.name(), tensor.dtype(), tensor.role(), {1, ins});
      for (int64_t e = 0; e < ins; ++e) row.set_bits(e, tensor.bits(last * ins + e));
      given.push_back(std::move(row));
    } else {
      given.push_back(tensor);
    }
  }
  const Result<Tensors> got = run.run(alone, std::move(given));
  if (!got) return got.error().what;
  for (const char* name : {"q", "k", "v"}) {
    const Tensor& all = run.got.get(name);
    const std::vector<double> budgets = run.budget(name);
    std::vector<double> budget;
    for (int64_t h = 0; h < all.shape()[0]; ++h) {
      const auto first = budgets.begin() + (h * all.shape()[1] + last) * lanes;
      budget.insert(budget.end(), first, first + lanes);
    }
    if (auto seen = properties::first_disagreement(slot_of(all, last), got->get(name), budget)) return seen;
  }
  return std::nullopt;
}

// The weights and biases of keys for those of values, and the other way round.
inline std::optional<std::string> differs_when_exchanged(const PropertyRun& run) {
  Case exchanged = run.c;
  const std::string& biases = run.c.text("biases");
  if (biases == "k" || biases == "v") exchanged.set("biases", biases == "k" ? "v" : "k");
  exchanged.set("wk_format", run.c.text("wv_format"));
  exchanged.set("wv_format", run.c.text("wk_format"));
  const auto renamed = [](const Tensor& tensor, const std::string& name) {
    Tensor other(name, tensor.dtype(), tensor.role(), tensor.shape());
    for (int64_t i = 0; i < tensor.count(); ++i) other.set_bits(i, tensor.bits(i));
    other.set_regions(tensor.regions());
    if (tensor.absent()) other.set_absent();
    return other;
  };
  Tensors given = run.given;
  for (const auto& [a, b] : {std::pair("wk", "wv"), std::pair("bk", "bv"), std::pair("k", "v")}) {
    given.get(a) = renamed(run.given.get(b), a);
    given.get(b) = renamed(run.given.get(a), b);
  }
  Result<Tensors> got = run.run(exchanged, std::move(given));
  if (!got) return got.error().what;
  for (const auto& [a, b] : {std::pair("k", "v"), std::pair("v", "k")})
    if (auto seen = properties::first_disagreement(run.got.get(a), got->get(b), run.budget(a))) return seen;
  return std::nullopt;
}

// Heads of the weights in reverse order, whatever their rows are made of. The kept slots of a head go with it.
inline std::optional<std::string> differs_when_reversed(const PropertyRun& run) {
  const auto reversed = [](const Tensor& of_heads) {
    const int64_t heads = of_heads.shape()[0];
    return properties::reversed_slices(of_heads, heads > 0 ? of_heads.count() / heads : 0);
  };
  Tensors given = run.given;
  for (const char* name : {"wq", "wk", "wv", "bq", "bk", "bv", "k", "v"})
    given.get(name) = reversed(run.given.get(name));
  Result<Tensors> again = run.run(run.c, std::move(given));
  if (!again) return again.error().what;
  for (const char* name : {"q", "k", "v"}) again->get(name) = reversed(again->get(name));
  return properties::first_disagreement(run, *again, {"q", "k", "v"});
}

inline std::vector<Property> properties() {
  return {{.name = "heads_are_alike",
           .states = "reversing the heads of weights and biases reverses those of q, k and v",
           .broken = differs_when_reversed},
          {.name = "a_token_alone",
           .states = "the last token alone, into a cache of one slot, gives the same",
           .broken = last_token_differs_alone},
          {.name = "keys_and_values_exchange",
           .states = "with the weights of keys and values exchanged, k and v are",
           .broken = differs_when_exchanged}};
}

}  // namespace assay::ops::qkv_project
