// heads_to_tokens: what it means. Head-major rows become token-major ones, bit for bit, padding included: a product
// takes every lane.
#pragma once

#include <fmt/format.h>

#include "harness/op/contract.h"
#include "reference/heads_to_tokens.h"

namespace assay::ops::heads_to_tokens {

// out is [T, H, ad]: heads of T tokens for which tokens and heads have changed places.
inline std::optional<std::string> changed_by_going_back(const PropertyRun& run) {
  const Tensor &in = run.given.get("in"), &once = run.got.get("out");
  const int64_t heads = run.c.dim("H"), tokens = run.c.dim("T"), lanes = run.c.dim("ad");
  if (tokens == 0) return std::nullopt;
  Case back = run.c;
  back.set("H", run.c.text("T"));
  back.set("T", run.c.text("H"));
  Tensors tensors;
  Tensor& given = tensors.emplace_back("in", once.dtype(), Role::input, std::vector{tokens, heads, lanes});
  for (int64_t i = 0; i < once.count(); ++i) given.set_bits(i, once.bits(i));
  tensors.emplace_back("out", once.dtype(), Role::output, std::vector{heads, tokens * lanes}).poison(Poison::first);
  const Result<Tensors> got = run.run(back, std::move(tensors));
  if (!got) return got.error().what;
  for (int64_t i = 0; i < in.count(); ++i)
    if (got->get("out").bits(i) != in.bits(i))
      return fmt::format("in{} has bits {:#x}, there and back {:#x}", index_text(in.shape(), i), in.bits(i),
                         got->get("out").bits(i));
  return std::nullopt;
}

inline void copy_unmoved(const Case&, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor& in = given.get("in");
  for (int64_t i = 0; i < in.count(); ++i) outputs[0][i] = in.at(i);
}

// Reads as from [T, H, ad] with the lanes of a row interleaved: lane d of head h at d·H + h.
inline void interleave_heads(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t heads = c.dim("H"), tokens = c.dim("T"), lanes = c.dim("ad");
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t t = 0; t < tokens; ++t)
      for (int64_t d = 0; d < lanes; ++d)
        outputs[0](t, d * heads + h) = given.get("in").at((h * tokens + t) * lanes + d);
}

inline Contract contract() {
  return {
      .name = "heads_to_tokens",
      .summary = "out_t,h·ad+d = in_h,t,d, bit for bit",
      .dims = {{.name = "H", .meaning = "heads", .aliases = {"NH", "heads", "num_heads", "n_head", "n_heads"}},
               {.name = "T", .meaning = "tokens", .min = 0, .aliases = {"N", "S", "seq_len", "num_tokens", "tokens"}},
               {.name = "ad",
                .meaning = "elements of a head, padding included",
                .boundary = {80, 96, 112},
                .aliases = {"aligned_dim", "head_stride", "head_dim", "D", "HD", "HS"}}},
      .repeats_along = {"H", "T"},
      .tensors = {{.name = "in", .shape = {"H", "T", "ad"}, .aliases = {"x", "src", "attn"}},  // (H, T, ad)
                  {.name = "out",
                   .role = Role::output,
                   .shape = {"T", "H*ad"},
                   .aliases = {"y", "dst", "concat"}}},  // (T, H*ad)
      .linear = true,
      .reference = moves_from([](auto& io) { reference::heads_to_tokens(io); }),
      .properties = {{.name = "twice_is_the_identity",
                      .states = "with tokens for heads and heads for tokens, out becomes in again",
                      .broken = changed_by_going_back}},
      .mutants = {{"copied_unmoved", copy_unmoved}, {"heads_interleaved", interleave_heads}},
  };
}

}  // namespace assay::ops::heads_to_tokens
