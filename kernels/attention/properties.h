// Facts about attention that hold whatever the reference computes.
#pragma once

#include <algorithm>

#include "kernels/attention/problem.h"
#include "kernels/properties/agreement.h"
#include "kernels/properties/rows.h"
#include "kernels/properties/second_run.h"

namespace assay::ops::attention {

// Copies one token and head of `from` to another place in `to`.
inline void copy_head(const Tensor& from, int64_t from_at, Tensor& to, int64_t to_at, int64_t dim) {
  for (int64_t d = 0; d < dim; ++d) to.set_bits(to_at + d, from.bits(from_at + d));
}

// A tensor of key heads for H of them: every query head gets its own copy of the head that it reads.
inline Tensor repeated_heads(const Tensor& keys, const reference::AttentionShape& a) {
  reference::HeadLayout to = a.kv;
  to.heads = a.heads;
  std::vector<int64_t> shape = keys.shape();
  shape[a.kv.head_major ? 1 : 2] = a.heads;
  Tensor repeated(keys.name(), keys.dtype(), keys.role(), shape);
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t j = 0; j < a.keys; ++j)
      for (int64_t h = 0; h < a.heads; ++h)
        copy_head(keys, a.kv.at(b, j, a.kv_head(h)), repeated, to.at(b, j, h), a.dim);
  return repeated;
}

// The same tensor with the leading (batch) dimension reversed.
inline Tensor reversed_batch(const Tensor& tensor) {
  Tensor reversed(tensor);
  const int64_t batches = tensor.shape().empty() ? 1 : tensor.shape()[0];
  if (tensor.count() == 0) return reversed;
  const int64_t size = tensor.count() / batches;
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t i = 0; i < size; ++i) reversed.set_bits(b * size + i, tensor.bits((batches - 1 - b) * size + i));
  return reversed;
}

// Reversing the batch of the inputs reverses it in the outputs: sequences do not see each other.
inline Property batch_is_independent(std::vector<std::string> outputs) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    if (run.c.dim("B") < 2) return std::nullopt;
    Tensors given = run.given;
    for (Tensor& tensor : given)
      if (tensor.role() != Role::output) tensor = reversed_batch(tensor);
    Result<Tensors> again = run.run(run.c, std::move(given));
    if (!again) return again.error().what;
    for (const std::string& name : outputs) again->get(name) = reversed_batch(again->get(name));
    return properties::first_disagreement(run, *again, outputs);
  };
  return {.name = "batch_is_independent",
          .states = "reversing the batch of the inputs reverses that of the outputs",
          .broken = broken};
}

// The case and the data in which every query head has a copy of its own of the keys and values that it shares.
inline Case ungrouped(Case c) {
  c.set("HK", c.text("H"));
  if (c.find("grads")) c.set("grads", "f32");
  if (c.find("dkv")) c.set("dkv", "overwrite");
  return c;
}
inline Tensors ungrouped(const PropertyRun& run, const reference::AttentionShape& a) {
  Tensors given;
  for (const Tensor& tensor : run.given) {
    if (tensor.name() == "k" || tensor.name() == "v")
      given.push_back(repeated_heads(tensor, a));
    else if (tensor.name() == "dk" || tensor.name() == "dv")
      given.emplace_back(tensor.name(), DType::f32, Role::output, repeated_heads(tensor, a).shape());
    else
      given.push_back(tensor);
  }
  return given;
}

// Grouped heads are plain heads with repeated keys; a key's gradient is the sum of those of its copies, plus what was
// there before if dkv=accumulate.
inline Property grouped_heads_are_repeated_heads(std::vector<std::string> query_outputs,
                                                 std::vector<std::string> key_outputs) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    const reference::AttentionShape a = reference::attention_shape(run.c);
    const auto by_key_head = [&](const char* extent) { return run.c.find(extent) && run.c.text(extent) == "HK"; };
    if (a.heads == a.kv_heads || by_key_head("bias_heads") || by_key_head("mask_heads")) return std::nullopt;
    const Case c = ungrouped(run.c);
    const Tensors copies = ungrouped(run, a);
    const Result<Tensors> again = run.run(c, copies);
    if (!again) return again.error().what;
    if (auto difference = properties::first_disagreement(run, *again, query_outputs)) return difference;
    reference::HeadLayout from = a.kv;
    from.heads = a.heads;
    for (const std::string& name : key_outputs) {
      const Tensor &grouped = run.got.get(name), &ungrouped = again->get(name), &before = run.given.get(name);
      const std::vector<double> budget = run.budget(name);
      std::vector<double> budget_of_copy;  // made when the first element needs it, for that takes time
      for (int64_t b = 0; b < a.batch; ++b)
        for (int64_t j = 0; j < a.keys; ++j)
          for (int64_t g = 0; g < a.kv_heads; ++g)
            for (int64_t d = 0; d < a.dim; ++d) {
              const int64_t i = a.kv.at(b, j, g) + d;
              const auto add_up = [&](auto of) {
                double sum = 0;
                for (int64_t h = 0; h < a.heads; ++h)
                  if (a.kv_head(h) == g) sum += of(from.at(b, j, h) + d);
                return sum;
              };
              const double sum =
                  (a.adds_to_keys ? before.at(i) : 0) + add_up([&](int64_t at) { return ungrouped.at(at); });
              double allowed = budget[static_cast<size_t>(i)];
              if (properties::agree(grouped.dtype(), grouped.at(i), sum, allowed)) continue;
              if (budget_of_copy.empty()) budget_of_copy = run.budget_on(c, copies, name);
              allowed += add_up([&](int64_t at) { return budget_of_copy[static_cast<size_t>(at)]; });
              if (properties::agree(grouped.dtype(), grouped.at(i), sum, allowed)) continue;
              return fmt::format("{}{} is {:.9g}, and {:.9g} with a copy of the keys for every head", name,
                                 index_text(grouped.shape(), i), grouped.at(i), sum);
            }
    }
    return std::nullopt;
  };
  return {.name = "grouped_heads_are_repeated_heads",
          .states = "query heads that share keys give the same as with a copy of the keys for each",
          .broken = broken};
}

// With a mask that is a number, a query that sees no key is given the mean of all values.
inline bool sees_some_key(const reference::AttentionShape& a, int64_t i) {
  return a.visible(i) > 0 || !std::isfinite(a.mask_value);
}

// The later half of the keys, changed: queries that do not see it must not notice.
inline Property later_keys_are_not_seen(std::vector<std::string> outputs) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    const reference::AttentionShape a = reference::attention_shape(run.c);
    const int64_t from = (a.keys + 1) / 2;
    if (!a.causal || from >= a.keys) return std::nullopt;
    Tensors given = run.given;
    for (const char* name : {"k", "v"})
      for (int64_t b = 0; b < a.batch; ++b)
        for (int64_t j = from; j < a.keys; ++j)
          for (int64_t g = 0; g < a.kv_heads; ++g)
            for (int64_t d = 0; d < a.dim; ++d)
              given.get(name).set(a.kv.at(b, j, g) + d, static_cast<double>((j + d) % 5) - 2);
    const Result<Tensors> again = run.run(run.c, std::move(given));
    if (!again) return again.error().what;
    for (const std::string& name : outputs) {
      const Tensor &once = run.got.get(name), &twice = again->get(name);
      const std::vector<double> budget = run.budget(name);
      const bool by_heads = once.shape().size() == 4;  // else (B, H, Sq)
      for (int64_t b = 0; b < a.batch; ++b)
        for (int64_t h = 0; h < a.heads; ++h)
          for (int64_t i = 0; i < a.queries && a.visible(i) <= from; ++i)
            for (int64_t d = 0; sees_some_key(a, i) && d < (by_heads ? a.dim : 1); ++d) {
              const int64_t at = by_heads ? a.q.at(b, i, h) + d : (b * a.heads + h) * a.queries + i;
              const double allowed = 2 * budget[static_cast<size_t>(at)];
              if (properties::agree(once.dtype(), once.at(at), twice.at(at), allowed)) continue;
              return fmt::format("{}{} goes from {:.9g} to {:.9g} when keys from {} on change", name,
                                 index_text(once.shape(), at), once.at(at), twice.at(at), from);
            }
    }
    return std::nullopt;
  };
  return {.name = "later_keys_are_not_seen",
          .states = "with causal=1, changing later keys and values leaves earlier outputs as they are",
          .broken = broken};
}

// A second run adds the same gradients of keys once more. Where they are overwritten, poison in them shows what is
// left.
inline Property second_run_adds_again() {
  Property second = properties::second_run({"dk", "dv"});
  second.states = "with dkv=accumulate, a second run adds the same once more";
  second.broken = [of_any = second.broken](const PropertyRun& run) {
    return reference::attention_shape(run.c).adds_to_keys ? of_any(run) : std::nullopt;
  };
  return second;
}

// Queries that do not see the later half of the keys have no part in its gradients.
inline Property earlier_queries_do_not_reach_later_keys() {
  const auto broken = [](const PropertyRun& run) -> std::optional<std::string> {
    const reference::AttentionShape a = reference::attention_shape(run.c);
    const int64_t from = (a.keys + 1) / 2;
    if (!a.causal || from >= a.keys) return std::nullopt;
    Tensors given = run.given;
    for (int64_t b = 0; b < a.batch; ++b)
      for (int64_t h = 0; h < a.heads; ++h)
        for (int64_t i = 0; i < a.queries && a.visible(i) <= from; ++i)
          for (int64_t d = 0; d < a.dim; ++d) given.get("do").set(a.q.at(b, i, h) + d, 1);
    const Result<Tensors> again = run.run(run.c, std::move(given));
    if (!again) return again.error().what;
    for (const char* name : {"dk", "dv"}) {
      const Tensor &once = run.got.get(name), &twice = again->get(name);
      const std::vector<double> budget = run.budget(name);
      for (int64_t b = 0; b < a.batch; ++b)
        for (int64_t j = from; j < a.keys; ++j)
          for (int64_t g = 0; g < a.kv_heads; ++g)
            for (int64_t d = 0; d < a.dim; ++d) {
              const int64_t at = a.kv.at(b, j, g) + d;
              const double allowed = 2 * budget[static_cast<size_t>(at)];
              if (properties::agree(once.dtype(), once.at(at), twice.at(at), allowed)) continue;
              return fmt::format("{}{} goes from {:.9g} to {:.9g} when dO of queries that cannot see it changes", name,
                                 index_text(once.shape(), at), once.at(at), twice.at(at));
            }
    }
    return std::nullopt;
  };
  return {.name = "earlier_queries_do_not_reach_later_keys",
          .states = "with causal=1, dO of earlier queries has no part in the gradients of later keys",
          .broken = broken};
}

}  // namespace assay::ops::attention
