// The common part of the contracts of the residual ops: rows of a stream, and a branch that joins it.
#pragma once

#include "kernels/properties/agreement.h"

namespace assay::ops::residual {

inline std::vector<DimSpec> dims() {
  return {{.name = "T",
           .meaning = "tokens",
           .min = 0,
           .aliases = {"N", "M", "rows", "BT", "tokens", "num_tokens", "seq_len"}},
          {.name = "aE",
           .meaning = "elements of a row, padding included",
           .boundary = {576, 896},
           .aliases = {"stride", "dim", "C", "D", "N", "cols", "hidden", "hidden_size", "embed_dim", "n_embd"}}};
}

inline Property exchanges(std::string states, std::vector<std::string> outputs) {
  const auto broken = [outputs = std::move(outputs)](const PropertyRun& run) -> std::optional<std::string> {
    Tensors given = run.given;
    const Tensor &a = run.given.get("a"), &b = run.given.get("b");
    for (int64_t i = 0; i < a.count(); ++i) {
      given.get("a").set_bits(i, b.bits(i));
      given.get("b").set_bits(i, a.bits(i));
    }
    const Result<Tensors> got = run.run(run.c, std::move(given));
    if (!got) return got.error().what;
    return properties::first_disagreement(run, *got, outputs);
  };
  return {.name = "exchanges", .states = std::move(states), .broken = broken};
}

}  // namespace assay::ops::residual
