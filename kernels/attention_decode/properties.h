// Facts that hold of attention over a cache, whatever the reference says.
#pragma once

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"

namespace assay::ops::attention_decode {

// The same cache with other heads and slots: slot j of head h is slot_of(j) of head_of(h) of the given one.
template <class HeadOf, class SlotOf>
Tensor rearranged(const Tensor& cache, int64_t heads, int64_t slots, HeadOf head_of, SlotOf slot_of) {
  const int64_t old_slots = cache.shape()[1], stride = cache.shape()[2];
  Tensor result(cache.name(), cache.dtype(), cache.role(), {heads, slots, stride});
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t j = 0; j < slots; ++j)
      for (int64_t d = 0; d < stride; ++d)
        result.set_bits((h * slots + j) * stride + d, cache.bits((head_of(h) * old_slots + slot_of(j)) * stride + d));
  return result;
}

// Runs case `c` on rearranged caches and compares.
template <class HeadOf, class SlotOf>
std::optional<std::string> differs_when(const PropertyRun& run, const Case& c, HeadOf head_of, SlotOf slot_of) {
  Tensors given = run.given;
  for (const char* name : {"k", "v"})
    given.get(name) = rearranged(run.given.get(name), c.dim("HK"), c.dim("capacity"), head_of, slot_of);
  const Result<Tensors> got = run.run(c, given);
  if (!got) return got.error().what;
  return properties::first_disagreement_of(run, c, given, *got, {"out"});
}

inline std::optional<std::string> depends_on_capacity(const PropertyRun& run) {
  const int64_t tokens = run.c.dim("kv_tokens");
  if (tokens == run.c.dim("capacity")) return std::nullopt;
  Case full = run.c;
  full.set("capacity", std::to_string(tokens));
  const auto same = [](int64_t i) { return i; };
  return differs_when(run, full, same, same);
}

inline std::optional<std::string> depends_on_order(const PropertyRun& run) {
  const int64_t tokens = run.c.dim("kv_tokens");
  if (tokens < 2) return std::nullopt;
  return differs_when(
      run, run.c, [](int64_t h) { return h; }, [=](int64_t j) { return j < tokens ? tokens - 1 - j : j; });
}

inline std::optional<std::string> groups_differ_from_repeated_heads(const PropertyRun& run) {
  const int64_t group = run.c.dim("H") / run.c.dim("HK");
  if (group == 1) return std::nullopt;
  Case repeated = run.c;
  repeated.set("HK", run.c.text("H"));
  return differs_when(
      run, repeated, [=](int64_t h) { return h / group; }, [](int64_t j) { return j; });
}

}  // namespace assay::ops::attention_decode
