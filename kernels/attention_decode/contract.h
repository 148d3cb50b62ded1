// attention_decode: what it means. One new token's queries against a cache of keys and values: softmax(q kᵀ / sqrt(D))
// v over the slots 0 … kv_tokens - 1.
//
// D = ad - pad elements of a head count; the scale is 1/sqrt(D), not of ad. Slots from kv_tokens on and all padding
// hold NaN here and may not be read, not even to be multiplied by 0; out's padding is written as 0. kv_tokens counts
// the new token, whose key and value are in its slot already. Query head h reads key head h / (H / HK).
#pragma once

#include "harness/op/contract.h"
#include "kernels/attention_decode/data.h"
#include "kernels/attention_decode/properties.h"
#include "kernels/data/mistakes.h"
#include "reference/attention_decode.h"

namespace assay::ops::attention_decode {

inline std::optional<Error> wrong_sizes(const Case& c) {
  if (auto error = heads::wrong_heads(c)) return error;
  const int64_t tokens = c.dim("kv_tokens"), capacity = c.dim("capacity");
  if (tokens > capacity)
    return Error{fmt::format("kv_tokens={} is beyond the cache's capacity={}", tokens, capacity),
                 fmt::format("take at most kv_tokens={}", capacity)};
  return std::nullopt;
}

inline void make_sizes_right(Case& c) {
  heads::make_heads_right(c);
  c.set("kv_tokens", std::to_string(std::min(c.dim("kv_tokens"), c.dim("capacity"))));
}

inline constexpr auto mistake = data::mistakes_of(
    reference::decode_shape, [](auto& io, const auto& shape) { reference::attention_decode(io, shape); });

inline Contract contract() {
  const std::vector<std::string> cache = {"HK", "capacity", "ad"};
  return {
      .name = "attention_decode",
      .summary =
          "s_j = q_h k_j / sqrt(D), j < kv_tokens, D = ad - pad; out_h = sum_j softmax(s)_j v_j, 0 in its padding",
      .dims = {{.name = "H",
                .meaning = "query heads",
                .max = 1 << 16,
                .boundary = {1, 2, 4, 6, 8, 14, 32},
                .usual_max = 32,
                .aliases = {"NH", "n_heads", "num_heads", "num_q_heads"}},
               {.name = "HK",
                .meaning = "key and value heads",
                .max = 1 << 16,
                .boundary = {1, 2, 3, 4, 8},
                .usual_max = 8,
                .aliases = {"h_kv", "kv_heads", "n_kv_heads", "num_kv_heads"}},
               {.name = "ad",
                .meaning = "elements of a head, padding included",
                .max = 1 << 16,
                .boundary = {1, 8, 16, 40, 64, 72, 80, 96, 128, 192, 256},
                .usual_max = 288,
                .aliases = {"D", "HS", "head_dim", "head_size", "aligned_dim"}},
               {.name = "pad",
                .meaning = "elements of padding at the end of a head",
                .min = 0,
                .max = 255,
                .aliases = {"padding", "head_padding"}},
               {.name = "capacity",
                .meaning = "slots of the cache for each key head",
                .boundary = {1, 17, 63, 65},
                .aliases = {"max_seq", "max_seq_len", "cache_len", "stride"}},
               {.name = "kv_tokens",
                .meaning = "tokens in the cache, the new one included",
                .boundary = {1, 15, 17, 63, 65, 257},
                .aliases = {"seq_len", "kv_len", "cache_seqlen", "context_len"}}},
      .tensors =
          {{.name = "q", .shape = {"H", "ad"}, .make = make_queries, .aliases = {"query", "queries"}},  // (H, ad)
           {.name = "k",  // (HK, capacity, ad)
            .shape = cache,
            .make = make_keys,
            .aliases = {"key", "keys", "k_cache", "key_cache"}},
           {.name = "v",  // (HK, capacity, ad)
            .shape = cache,
            .make = make_cache,
            .aliases = {"value", "values", "v_cache", "value_cache"}},
           {.name = "out", .role = Role::output, .shape = {"H", "ad"}, .aliases = {"o", "output", "y"}}},
      .out_of_reach = data::sums_that_f16_holds(),
      .exponentials = true,
      .groups_heads = true,
      .constraint = wrong_sizes,
      .adjust = make_sizes_right,
      .reference = reference_from([](auto& io) { reference::attention_decode(io, reference::decode_shape(io.c())); }),
      .roundings = {{"p", "exp(score - maximum) as it enters the product with v, before the division by its sum"},
                    {"p_normalised", "the weights, divided by their sum before they enter the product with v"}},
      .multiplies_matrices = true,
      .properties = {{.name = "capacity_does_not_count",
                      .states = "a cache of kv_tokens slots gives the same",
                      .broken = depends_on_capacity},
                     {.name = "order_of_slots",
                      .states = "reversing the slots that hold tokens changes nothing",
                      .broken = depends_on_order},
                     {.name = "groups_are_repeated_heads",
                      .states = "a cache with every key head repeated H/HK times gives the same",
                      .broken = groups_differ_from_repeated_heads}},
      .mutants = {mistake("scaled_by_padded_width", [](const Case&, auto& a) { a.scale_dim = a.stride; }),
                  mistake("new_token_left_out",
                          [](const Case&, auto& a) { a.keys = std::max<int64_t>(1, a.keys - 1); }),
                  mistake("heads_interleaved", [](const Case&, auto& a) { a.interleaved_heads = true; }),
                  mistake("second_half_lost",  // as when the parts of a split are not merged
                          [](const Case&, auto& a) { a.keys = std::max<int64_t>(1, a.keys / 2); }),
                  {"merged_without_maximum", merge_without_maximum}},
      .flops =
          [](const Case& c) {
            const reference::DecodeShape a = reference::decode_shape(c);
            return 4.0 * static_cast<double>(a.heads * a.keys) * static_cast<double>(a.dim);
          },
  };
}

}  // namespace assay::ops::attention_decode
