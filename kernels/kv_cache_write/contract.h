// kv_cache_write: what it means. One token's keys and values go into a slot of two caches, bit for bit.
//
// A row of a head is ad elements, of which the last `pad` are padding: k's and v's are not read, the slot's become 0.
// Every other slot of a cache keeps its bits, of this head and of the others.
#pragma once

#include <fmt/format.h>

#include "harness/op/contract.h"
#include "kernels/kv_cache/regions.h"
#include "reference/kv_cache_write.h"

namespace assay::ops::kv_cache_write {

inline int64_t head_dim(const Case& c) { return c.dim("ad") - c.dim("pad"); }

inline std::optional<Error> slot_outside(const Case& c) {
  if (head_dim(c) < 1)
    return Error{
        fmt::format("a row of ad={} elements, of which pad={} are padding, has none left", c.dim("ad"), c.dim("pad")),
        "make pad smaller than ad"};
  if (c.dim("slot") < c.dim("capacity")) return std::nullopt;
  return Error{fmt::format("slot={} is past a cache of capacity={}", c.dim("slot"), c.dim("capacity")),
               "slots count from 0: make capacity larger than slot"};
}

inline void move_inside(Case& c) {
  c.set("pad", std::to_string(std::min(c.dim("pad"), c.dim("ad") - 1)));
  c.set("slot", std::to_string(std::min(c.dim("slot"), c.dim("capacity") - 1)));
}

inline Regions dead_pads(const Case& c) { return kv_cache::dead_pads(c.dim("HK"), c.dim("ad"), c.dim("pad")); }

inline Regions other_slots(const Case& c) {
  const int64_t heads = c.dim("HK"), capacity = c.dim("capacity"), slot = c.dim("slot");
  Regions regions;
  kv_cache::mark_slots(regions, heads, capacity, c.dim("ad"), 0, slot, Region::kept);
  kv_cache::mark_slots(regions, heads, capacity, c.dim("ad"), slot + 1, capacity, Region::kept);
  return regions;
}

// The same token in another slot of the same caches.
inline std::optional<std::string> changed_by_another_slot(const PropertyRun& run) {
  const int64_t heads = run.c.dim("HK"), capacity = run.c.dim("capacity"), lanes = run.c.dim("ad");
  const int64_t slot = run.c.dim("slot"), other = (slot + 1) % capacity;
  if (other == slot) return std::nullopt;
  Case moved = run.c;
  moved.set("slot", std::to_string(other));
  Tensors given = run.given;
  for (const char* cache : {"k_cache", "v_cache"}) given.get(cache).set_regions(other_slots(moved));
  const Result<Tensors> got = run.run(moved, std::move(given));
  if (!got) return got.error().what;
  for (const char* cache : {"k_cache", "v_cache"})
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t d = 0; d < lanes; ++d) {
        const uint64_t here = run.got.get(cache).bits((h * capacity + slot) * lanes + d);
        const uint64_t there = got->get(cache).bits((h * capacity + other) * lanes + d);
        if (here != there)
          return fmt::format("{} of head {}, lane {}: bits {:#x} in slot {}, {:#x} in slot {}", cache, h, d, here, slot,
                             there, other);
      }
  return std::nullopt;
}

// Calls f(cache, row of k or v, head) for both caches.
template <class F>
void for_each_row(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs, F f) {
  for (int64_t h = 0; h < c.dim("HK"); ++h) {
    f(outputs[0], given.get("k"), h);
    f(outputs[1], given.get("v"), h);
  }
}

// The lanes of the row, and zeros, from element `at` of the cache on, if they are inside.
inline void put(const Case& c, RefTensor<double>& cache, const Tensor& row, int64_t h, int64_t at) {
  const int64_t lanes = c.dim("ad");
  if (at + lanes > static_cast<int64_t>(cache.values.size())) return;
  for (int64_t d = 0; d < lanes; ++d) cache[at + d] = d < head_dim(c) ? row.at(h * lanes + d) : 0;
}

inline void write_next_slot_too(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  if (c.dim("slot") + 1 == c.dim("capacity")) return;
  for_each_row(c, given, outputs, [&](auto& cache, const Tensor& row, int64_t h) {
    put(c, cache, row, h, (h * c.dim("capacity") + c.dim("slot") + 1) * c.dim("ad"));
  });
}

// Writes as in a cache of [capacity, HK, ad]: heads of a slot side by side.
inline void write_slot_major(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  for_each_row(c, given, outputs, [&](auto& cache, const Tensor& row, int64_t h) {
    put(c, cache, row, h, (c.dim("slot") * c.dim("HK") + h) * c.dim("ad"));
  });
}

// Writes as if a head of the cache had as many slots as tokens so far.
inline void take_tokens_for_capacity(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  for_each_row(c, given, outputs, [&](auto& cache, const Tensor& row, int64_t h) {
    put(c, cache, row, h, (h * (c.dim("slot") + 1) + c.dim("slot")) * c.dim("ad"));
  });
}

inline void leave_pads(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t lanes = c.dim("ad");
  for_each_row(c, given, outputs, [&](auto& cache, const Tensor& row, int64_t h) {
    for (int64_t d = head_dim(c); d < lanes; ++d) cache(h, c.dim("slot"), d) = row.at(h * lanes + d);
  });
}

inline void write_keys_twice(const Case&, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  outputs[1].values = outputs[0].values;
}

inline Contract contract() {
  return {
      .name = "kv_cache_write",
      .summary =
          "D = ad - pad; cache_h,slot,d = row_hd for d < D and 0 for the padding, bit for bit, of k and v; every "
          "other slot keeps its bits",
      .dims = {{.name = "HK",
                .meaning = "key/value heads",
                .aliases = {"heads", "kv_heads", "num_kv_heads", "n_kv_heads", "num_heads"}},
               {.name = "capacity",
                .meaning = "slots of a head in the caches",
                .aliases = {"max_seq", "max_seq_len", "cache_len", "kv_capacity", "max_tokens"}},
               {.name = "ad",
                .meaning = "elements from one slot to the next, padding included",
                .boundary = {80, 96, 112},
                .aliases = {"aligned_dim", "head_stride", "head_dim", "D", "HD", "aligned_head_dim"}},
               {.name = "pad",
                .meaning = "elements of padding at the end of a row",
                .min = 0,
                .max = 255,
                .aliases = {"padding"}},
               {.name = "slot",
                .meaning = "where the token goes, from 0",
                .min = 0,
                .aliases = {"idx", "pos", "position", "token_index", "token", "cache_pos"}}},
      .repeats_along = {"HK"},
      .tensors =
          {{.name = "k", .shape = {"HK", "ad"}, .aliases = {"key", "new_k"}, .regions = dead_pads},    // (HK, ad)
           {.name = "v", .shape = {"HK", "ad"}, .aliases = {"value", "new_v"}, .regions = dead_pads},  // (HK, ad)
           {.name = "k_cache",
            .role = Role::output,
            .shape = {"HK", "capacity", "ad"},
            .aliases = {"key_cache", "cache_k", "kcache"},
            .regions = other_slots},  // (HK, capacity, ad)
           {.name = "v_cache",
            .role = Role::output,
            .shape = {"HK", "capacity", "ad"},
            .aliases = {"value_cache", "cache_v", "vcache"},
            .regions = other_slots}},  // (HK, capacity, ad)
      .linear = true,
      .constraint = slot_outside,
      .adjust = move_inside,
      .reference = moves_from([](auto& io) { reference::kv_cache_write(io); }),
      .properties = {{.name = "slots_are_alike",
                      .states = "the token written to another slot has the same bits there",
                      .broken = changed_by_another_slot}},
      .mutants = {{"next_slot_written_too", write_next_slot_too},
                  {"slot_major", write_slot_major},
                  {"stride_of_tokens", take_tokens_for_capacity},
                  {"pads_not_cleared", leave_pads},
                  {"keys_in_both_caches", write_keys_twice}},
  };
}

}  // namespace assay::ops::kv_cache_write
