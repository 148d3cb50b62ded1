// Facts that hold of causal attention over heads, forward and backward, whatever the reference says.
#pragma once

#include <algorithm>

#include "kernels/heads/head_major.h"
#include "kernels/heads/part.h"
#include "kernels/properties/agreement.h"

namespace assay::ops::heads {

// The first half of the tokens, alone, has the first half of the rows: a row knows nothing of those behind it.
// `scores`: the tensors [H, aw, aw]; all others are [heads, T, ad].
inline Property later_rows_are_not_seen(std::vector<std::string> scores, std::vector<std::string> outputs) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    const int64_t fewer = (run.c.dim("T") + 1) / 2;
    if (fewer == run.c.dim("T")) return std::nullopt;
    Case shorter = run.c;
    shorter.set("T", std::to_string(fewer));
    shorter.set("aw", std::to_string(fewer));
    const auto first_rows = [&](const Tensor& tensor) {
      const std::vector<int64_t>& shape = tensor.shape();
      const bool is_score = std::find(scores.begin(), scores.end(), tensor.name()) != scores.end();
      return Part(shape, shape[0], fewer, is_score ? fewer : shape[2]);
    };
    Tensors given;
    for (const Tensor& tensor : run.given) given.push_back(tensor.absent() ? tensor : first_rows(tensor).of(tensor));
    const Result<Tensors> got = run.run(shorter, std::move(given));
    if (!got) return got.error().what;
    for (const std::string& name : outputs) {
      const Tensor& all = run.got.get(name);
      if (all.absent()) continue;
      const Part part = first_rows(all);
      if (auto seen = properties::first_disagreement(part.of(all), got->get(name), part.of(run.budget(name))))
        return seen;
    }
    return std::nullopt;
  };
  return {.name = "later_rows_are_not_seen",
          .states = "the first half of the tokens, alone, gives the first half of the rows",
          .broken = broken};
}

// The place where a key's gradient is not the sum of those of its copies.
inline std::optional<std::string> gradients_of_copies_differ(const PropertyRun& run, const Case& repeated,
                                                             const Tensors& given, const Tensors& got,
                                                             const std::string& name) {
  const Tensor &grouped = run.got.get(name), &copies = got.get(name);
  const int64_t group = run.c.dim("H") / run.c.dim("HK"), head = grouped.count() / run.c.dim("HK");
  const std::vector<double> budget = run.budget(name), budget_of_copy = run.budget_on(repeated, given, name);
  for (int64_t i = 0; i < grouped.count(); ++i) {
    double sum = 0, allowed = budget[static_cast<size_t>(i)];
    for (int64_t n = 0; n < group; ++n) {
      const int64_t at = (i / head * group + n) * head + i % head;
      sum += copies.at(at);
      allowed += budget_of_copy[static_cast<size_t>(at)];
    }
    if (!properties::agree(grouped.dtype(), grouped.at(i), sum, allowed))
      return fmt::format("{}{} is {:.9g}, and {:.9g} with a copy of the keys for every head, {:.3g} apart at most",
                         name, index_text(grouped.shape(), i), grouped.at(i), sum, allowed);
  }
  return std::nullopt;
}

// Grouped heads are plain heads with repeated keys; the gradients of a key add up those of its copies.
inline Property groups_are_repeated_heads(std::vector<std::string> by_query, std::vector<std::string> by_key) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    const int64_t heads = run.c.dim("H"), group = heads / run.c.dim("HK");
    if (group == 1) return std::nullopt;
    Case repeated = run.c;
    repeated.set("HK", run.c.text("H"));
    Tensors given = run.given;
    std::vector<std::string> names = {"k", "v"}, present;
    names.insert(names.end(), by_key.begin(), by_key.end());
    for (const std::string& name : names) {
      const Tensor& keys = run.given.get(name);
      given.get(name) = Part(keys.shape(), heads, keys.shape()[1], keys.shape()[2], group).of(keys);
    }
    const Result<Tensors> got = run.run(repeated, given);
    if (!got) return got.error().what;
    for (const std::string& name : by_query)
      if (!run.got.get(name).absent()) present.push_back(name);
    if (auto seen = properties::first_disagreement_of(run, repeated, given, *got, present)) return seen;
    for (const std::string& name : by_key)
      if (auto seen = gradients_of_copies_differ(run, repeated, given, *got, name)) return seen;
    return std::nullopt;
  };
  return {.name = "groups_are_repeated_heads",
          .states = "a copy of its key head for every query head gives the same",
          .broken = broken};
}

}  // namespace assay::ops::heads
