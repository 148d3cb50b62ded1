// A clock that threads may wait by. They wait at once, as on a GPU, and not one after another: who looks lets the
// others of its block run. Time goes on, so nobody waits in vain.
#pragma once

#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/memory.h"

namespace assay::simt {

ASSAY_SIMT_INLINE long long waiting_clock() {
  quiet_store(block.atomics_changed, true);
  switch_to(give_way(current()));
  quiet_store(current()->site, kSiteBarrier);
  return clock64();
}

}  // namespace assay::simt
