// The data that several contracts ask for in the place of the fill, and the tensors of theirs that are added to.
#pragma once

#include "harness/op/contract.h"

namespace assay::data {

// The case with ordinary data in the place of subnormal numbers, for the partner of a product: products of two such
// numbers are 0, and zeros could hide anything.
inline Case not_subnormal(Case c) {
  if (c.fill == "subnormal") c.fill = "normal";
  return c;
}

// Where all factors are each one value, gradients are 0 except for what cancelling leaves: the case with numbers that
// differ from place to place.
inline Case not_all_equal(Case c) {
  if (c.fill == "all_equal") c.fill = "normal";
  return c;
}

// The partner of a product, of elements up to `largest`.
inline MakeTensor partner_up_to(double largest) {
  return [=](const Case& c, Rng& rng, Tensor& tensor) { apply_fill(not_subnormal(c), rng, largest, tensor); };
}

// A written tensor that is added to where attribute `attr` is accumulate.
inline std::function<Role(const Case&)> role_by(std::string attr) {
  return [attr = std::move(attr)](const Case& c) {
    return c.text(attr) == "accumulate" ? Role::accumulate : Role::output;
  };
}

}  // namespace assay::data
