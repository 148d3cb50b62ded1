// Properties of ops that treat every row of their matrices by itself, for contracts to take.
#pragma once

#include "harness/base/check.h"
#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"

namespace assay::properties {

// The same tensor with its rows, all that its first axis counts, in reverse order; a vector's rows are its elements.
inline Tensor reversed_rows(const Tensor& matrix) {
  Tensor reversed(matrix);
  ASSAY_CHECK(!matrix.shape().empty(), "'" + matrix.name() + "' is a single number and has no rows to be independent");
  const int64_t rows = matrix.shape()[0], cols = rows == 0 ? 0 : matrix.count() / rows;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) reversed.set_bits(r * cols + c, matrix.bits((rows - 1 - r) * cols + c));
  return reversed;
}

// Every row of `outputs` depends on the same row of `inputs` only, and on nothing else about where it lies.
inline Property rows_are_independent(std::vector<std::string> inputs, std::vector<std::string> outputs) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    if (run.given.get(inputs[0]).shape()[0] < 2) return std::nullopt;
    Tensors given = run.given;
    for (const std::string& name : inputs) given.get(name) = reversed_rows(run.given.get(name));
    Result<Tensors> again = run.run(run.c, std::move(given));
    if (!again) return again.error().what;
    for (const std::string& name : outputs) again->get(name) = reversed_rows(again->get(name));
    return first_disagreement(run, *again, outputs);
  };
  return {.name = "rows_are_independent",
          .states = "reversing the rows of the inputs reverses those of the outputs",
          .broken = broken};
}

}  // namespace assay::properties
