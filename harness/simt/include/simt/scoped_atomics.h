// Atomics with a memory order and a scope, for what names them by arguments: cuda::atomic_ref and __nv_atomic_*.
//
// An order is a fence in front of the operation where it releases, and one behind it where it acquires. Only the checks
// need them, because threads run one at a time.
#pragma once

#include "harness/simt/include/simt/atomics.h"
#include "harness/simt/include/simt/sync.h"

namespace assay::simt {

struct Order {
  bool acquires, releases;
};

ASSAY_SIMT_INLINE void fence_in(checked::Scope scope) {
  if (scope == checked::Scope::block)
    __threadfence_block();
  else
    __threadfence();
}

// Replaces *address by update(*address) and returns the old value.
template <checked::AtomicKind kind = checked::AtomicKind::update, class T, class Update>
ASSAY_SIMT_INLINE T ordered_update(T* address, Order order, checked::Scope scope, Update update) {
  using checked::Scope;
  if (order.releases) fence_in(scope);
  const T old = scope == Scope::block ? atomic_update<kind, Scope::block>(address, update)
                                      : atomic_update<kind, Scope::device>(address, update);
  if (!order.acquires) return old;
  if (scope == Scope::block)
    acquire<Scope::block>();
  else
    acquire<Scope::device>();
  return old;
}

}  // namespace assay::simt
