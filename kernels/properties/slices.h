// Properties of ops that treat every slice of their tensors by itself, for contracts to take. A slice is a run of
// consecutive elements, such as one head of one token; where it is a row of a matrix, rows.h says the same more
// shortly.
#pragma once

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"

namespace assay::properties {

// A tensor in slices whose length is the product of `dims`.
struct Sliced {
  std::string tensor;
  std::vector<std::string> dims;
};

// The same tensor with its slices of `length` elements in reverse order.
inline Tensor reversed_slices(const Tensor& tensor, int64_t length) {
  Tensor reversed(tensor);
  const int64_t slices = length > 0 ? tensor.count() / length : 0;
  for (int64_t s = 0; s < slices; ++s)
    for (int64_t i = 0; i < length; ++i) reversed.set_bits(s * length + i, tensor.bits((slices - 1 - s) * length + i));
  return reversed;
}

// Every slice of `outputs` depends on the same slice of `inputs` only, and on nothing else about where it lies.
inline Property slices_are_independent(std::vector<Sliced> inputs, std::vector<Sliced> outputs) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    const auto reversed = [&](const Tensors& from, const Sliced& sliced) {
      int64_t length = 1;
      for (const std::string& dim : sliced.dims) length *= run.c.dim(dim);
      return reversed_slices(from.get(sliced.tensor), length);
    };
    Tensors given = run.given;
    for (const Sliced& input : inputs) given.get(input.tensor) = reversed(run.given, input);
    Result<Tensors> again = run.run(run.c, std::move(given));
    if (!again) return again.error().what;
    std::vector<std::string> names;
    for (const Sliced& output : outputs) {
      again->get(output.tensor) = reversed(*again, output);
      names.push_back(output.tensor);
    }
    return first_disagreement(run, *again, names);
  };
  return {.name = "slices_are_independent",
          .states = "reversing the slices of the inputs reverses those of the outputs",
          .broken = broken};
}

}  // namespace assay::properties
