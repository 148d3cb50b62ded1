// Mutants that are the reference with other numbers.
#pragma once

#include "harness/op/contract.h"

namespace assay::data {

// Makes such mutants: `numbers` are the case's, of which each mutant changes one, and run(io, numbers) the reference.
template <class Numbers, class Run>
constexpr auto mistakes_of(Numbers (*numbers)(const Case&), Run run) {
  return [=](std::string name, std::function<void(const Case&, Numbers&)> change) {
    return Mutant{std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
                    Numbers changed = numbers(c);
                    change(c, changed);
                    outputs = reference_run<double>([&](auto& io) { run(io, changed); })(c, given);
                  }};
  };
}

}  // namespace assay::data
