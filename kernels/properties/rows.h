// Properties of ops that treat every row of their matrices by itself, for contracts to take.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/op/contract.h"

namespace assay::properties {

// The first element in which two tensors of one shape differ, bit for bit; any NaN equals any other.
inline std::optional<std::string> first_difference(const Tensor& want, const Tensor& got) {
  for (int64_t i = 0; i < want.count(); ++i) {
    if (want.bits(i) == got.bits(i) || (std::isnan(want.at(i)) && std::isnan(got.at(i)))) continue;
    return fmt::format("{}{} is {:.9g} and should be {:.9g}", got.name(), index_text(got.shape(), i), got.at(i),
                       want.at(i));
  }
  return std::nullopt;
}

// The same matrix with its rows in reverse order.
inline Tensor reversed_rows(const Tensor& matrix) {
  Tensor reversed(matrix);
  const int64_t rows = matrix.shape()[0], cols = matrix.shape()[1];
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
    const Result<Tensors> got = run.run(run.c, std::move(given));
    if (!got) return got.error().what;
    for (const std::string& name : outputs)
      if (auto difference = first_difference(reversed_rows(run.got.get(name)), got->get(name)))
        return *difference + ", as without the reversal";
    return std::nullopt;
  };
  return {.name = "rows_are_independent",
          .states = "reversing the rows of the inputs reverses those of the outputs, bit for bit",
          .broken = broken};
}

}  // namespace assay::properties
