// A product whose factors may both be nothing but what cancelling left of them.
#pragma once

#include "harness/op/tracked.h"

namespace assay::reference {

// a·b of two computed numbers. Where both are sums that cancel, all that is left is what their errors make of each
// other, which Tracked's first order leaves out.
template <class S>
S times(S a, S b) {
  return a * b;
}
inline Tracked times(Tracked a, Tracked b) {
  const Tracked product = a * b;
  return {product.v, product.e, product.c + kBudgetFactor * a.spread() * b.spread()};
}

}  // namespace assay::reference
