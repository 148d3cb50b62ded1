// A made-up op for the tests of this folder: grouped heads, one attribute, an index tensor, an accumulated output.
#pragma once

#include "harness/op/contract.h"

namespace assay {

inline Contract test_contract() {
  return {
      .name = "made_up",
      .summary = "for tests",
      .dims = {{.name = "S", .meaning = "tokens", .min = 0, .max = 1000},
               {.name = "H", .meaning = "heads"},
               {.name = "HK", .meaning = "key heads"}},
      .attrs = {{.name = "causal", .meaning = "whether later keys are hidden", .choices = {"0", "1"}},
                {.name = "init", .meaning = "what accumulated outputs start from", .choices = {"zero", "random"}}},
      .tensors = {{.name = "q", .role = Role::input, .shape = {"S", "H*8"}},
                  {.name = "k", .role = Role::input, .shape = {"S", "HK*8"}, .magnitude = 10},
                  {.name = "ids",
                   .role = Role::input,
                   .shape = {"S"},
                   .dtype = DType::u32,
                   .make =
                       [](const Case&, Rng& rng, Tensor& t) {
                         for (int64_t i = 0; i < t.count(); ++i) t.set_bits(i, static_cast<uint32_t>(rng.below(100)));
                       }},
                  {.name = "out", .role = Role::output, .shape = {"2*S*H", "3"}},
                  {.name = "sum", .role = Role::accumulate, .shape = {"1"}, .dtype = DType::f32},
                  {.name = "state", .role = Role::inout, .shape = {"HK"}}},
      .dtypes = {DType::f32, DType::bf16},
      .admits_nan = false,
      .constraint = [](const Case& c) -> std::optional<Error> {
        if (c.dim("H") % c.dim("HK") == 0) return std::nullopt;
        return Error{"H is no multiple of HK", "take HK = " + std::to_string(c.dim("H"))};
      },
      .reference = {},
  };
}

inline Result<Case> conforming(const std::string& line) { return conform(test_contract(), *parse_case(line), line); }

}  // namespace assay
