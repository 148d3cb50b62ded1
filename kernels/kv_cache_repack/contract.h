// kv_cache_repack: what it means. The heads of a prefill's keys or values, which lie T slots apart, move to where a
// cache of `capacity` slots has them, in one buffer: head h from h·T·ad to h·capacity·ad, bit for bit.
//
// Old and new places overlap, so the order counts. Slots from T on hold anything afterwards, and the buffer behind the
// last head holds NaN before.
#pragma once

#include <fmt/format.h>

#include "harness/op/contract.h"
#include "kernels/kv_cache/regions.h"
#include "reference/kv_cache_repack.h"

namespace assay::ops::kv_cache_repack {

inline std::optional<Error> more_than_fit(const Case& c) {
  if (c.dim("T") <= c.dim("capacity")) return std::nullopt;
  return Error{fmt::format("T={} tokens do not fit into capacity={} slots", c.dim("T"), c.dim("capacity")),
               "make capacity at least T"};
}

inline Regions slots_behind(const Case& c) {
  Regions regions;
  kv_cache::mark_slots(regions, c.dim("HK"), c.dim("capacity"), c.dim("ad"), c.dim("T"), c.dim("capacity"),
                       Region::unspecified);
  return regions;
}

inline void make_cache(const Case& c, Rng& rng, Tensor& cache) {
  apply_fill(c, rng, 0, cache);
  for (int64_t i = c.dim("HK") * c.dim("T") * c.dim("ad"); i < cache.count(); ++i) cache.set_bits(i, ~uint64_t{0});
}

// Compares with the way through a cache of a capacity in between.
inline std::optional<std::string> changed_by_two_steps(const PropertyRun& run) {
  const int64_t tokens = run.c.dim("T"), capacity = run.c.dim("capacity"), heads = run.c.dim("HK");
  const int64_t between = (tokens + capacity) / 2, lanes = run.c.dim("ad");
  if (between == tokens || between == capacity) return std::nullopt;
  const Tensor &given = run.given.get("cache"), &got = run.got.get("cache");
  Case first = run.c, second = run.c;
  first.set("capacity", std::to_string(between));
  second.set("T", std::to_string(between));
  Tensors smaller;
  Tensor& part = smaller.emplace_back("cache", given.dtype(), given.role(), std::vector{heads, between, lanes});
  for (int64_t i = 0; i < part.count(); ++i) part.set_bits(i, given.bits(i));
  const Result<Tensors> halfway = run.run(first, std::move(smaller));
  if (!halfway) return halfway.error().what;
  Tensors whole = run.given;
  for (int64_t i = 0; i < heads * between * lanes; ++i) whole.get("cache").set_bits(i, halfway->get("cache").bits(i));
  whole.get("cache").set_regions(slots_behind(second));
  const Result<Tensors> again = run.run(second, std::move(whole));
  if (!again) return again.error().what;
  for (int64_t i = 0; i < got.count(); ++i) {
    if (i / lanes % capacity >= tokens || got.bits(i) == again->get("cache").bits(i)) continue;
    return fmt::format("cache{} has bits {:#x} and, by way of capacity={}, {:#x}", index_text(got.shape(), i),
                       got.bits(i), between, again->get("cache").bits(i));
  }
  return std::nullopt;
}

// Element by element from the first on, where each lands on what has yet to move.
inline void move_from_low_to_high(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t row = c.dim("T") * c.dim("ad"), stride = c.dim("capacity") * c.dim("ad");
  const Tensor& cache = given.get("cache");
  for (int64_t i = 0; i < cache.count(); ++i) outputs[0][i] = cache.at(i);
  for (int64_t h = 0; h < c.dim("HK"); ++h)
    for (int64_t i = 0; i < row; ++i) outputs[0][h * stride + i] = outputs[0][h * row + i];
}

inline void leave_in_place(const Case&, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor& cache = given.get("cache");
  for (int64_t i = 0; i < cache.count(); ++i) outputs[0][i] = cache.at(i);
}

inline Contract contract() {
  return {
      .name = "kv_cache_repack",
      .summary =
          "cache_h,t moves from (h T + t) ad to (h capacity + t) ad for t < T, bit for bit, in one buffer; slots "
          "from T on are unspecified",
      .dims = {{.name = "HK",
                .meaning = "key/value heads",
                .aliases = {"heads", "kv_heads", "num_kv_heads", "n_kv_heads", "num_heads"}},
               {.name = "capacity",
                .meaning = "slots of a head afterwards",
                .aliases = {"max_seq", "max_seq_len", "cache_len", "kv_capacity", "max_tokens"}},
               {.name = "T",
                .meaning = "tokens: slots of a head before",
                .min = 0,
                .aliases = {"N", "S", "seq_len", "num_tokens", "tokens", "kv_tokens"}},
               {.name = "ad",
                .meaning = "elements from one slot to the next, padding included",
                .boundary = {80, 96, 112},
                .aliases = {"aligned_dim", "head_stride", "head_dim", "D", "HD", "aligned_head_dim"}}},
      .tensors = {{.name = "cache",
                   .role = Role::inout,
                   .shape = {"HK", "capacity", "ad"},
                   .make = make_cache,
                   .aliases = {"kv", "k", "v", "k_cache", "v_cache", "buffer"},
                   .regions = slots_behind}},  // (HK, capacity, ad)
      .linear = true,
      .constraint = more_than_fit,
      .adjust = [](Case& c) { c.set("T", std::to_string(std::min(c.dim("T"), c.dim("capacity")))); },
      .reference = moves_from([](auto& io) { reference::kv_cache_repack(io); }),
      .properties = {{.name = "two_steps_are_one",
                      .states = "moving by way of a capacity in between leaves the same tokens",
                      .broken = changed_by_two_steps}},
      .mutants = {{"moved_from_low_to_high", move_from_low_to_high}, {"left_in_place", leave_in_place}},
  };
}

}  // namespace assay::ops::kv_cache_repack
