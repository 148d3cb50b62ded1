// Random cases made from a contract alone, for tests that ask something of every op.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "harness/op/contract.h"
#include "harness/op/registry.h"
#include "harness/tensor/fill.h"

namespace assay {

inline std::vector<std::string> names_of_ops() {
  std::vector<std::string> names;
  for (const Contract& contract : all_ops()) names.push_back(contract.name);
  return names;
}

template <class T>
const T& pick(const std::vector<T>& choices, Rng& rng) {
  return choices[rng.below(choices.size())];
}

inline int64_t any_dim(const DimSpec& dim, Rng& rng) {
  const int64_t edge[] = {0, 1, 2, 3, 32, 33, 64, 65};
  const int64_t value = rng.below(2) ? edge[rng.below(std::size(edge))] : rng.between(1, 40);
  return std::clamp(value, dim.min, dim.max);
}

// A random case that conforms, or one near it; nothing when the constraints refuse both.
inline std::optional<Case> any_case(const Contract& contract, Rng& rng, int64_t elements_max = 20'000) {
  Case c;
  c.op = contract.name;
  c.variant = "reference";
  c.dtype = pick(contract.dtypes, rng);
  c.seed = rng.next();
  for (const DimSpec& dim : contract.dims) c.set(dim.name, std::to_string(any_dim(dim, rng)));
  for (const AttrSpec& attr : contract.attrs)  // most optional ones as if they were not there: they may ask for much
    c.set(attr.name, attr.optional && rng.below(8) != 0 ? attr.choices.front() : pick(attr.choices, rng));
  c.fill = pick(fills(), rng).name;
  Result<Case> conforming = conform(contract, c, print(c));
  if (!conforming && contract.adjust) {
    contract.adjust(c);
    conforming = conform(contract, c, print(c));
  }
  if (!conforming || element_count(contract, *conforming) > elements_max) return std::nullopt;
  return *conforming;
}

}  // namespace assay
