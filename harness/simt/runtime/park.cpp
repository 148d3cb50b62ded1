// Keeps threads that wait from running while the ring goes round for others.
#include <utility>

#include "harness/simt/runtime/worker.h"

namespace assay::simt {

// Parks waiting threads before a round that only spinning threads run: a warp that never waited for parts of itself has
// no parked lane yet, and would leave its barrier.
void Worker::park_waiting() {
  for (Fiber* fiber = ring_->begin(); fiber != end_; ++fiber) {
    void*& pc = parked_pc(fiber);
    if (is_dead(*fiber) || pc != nullptr) continue;
    pc = std::exchange(fiber->pc, stub(assay_simt_parked));
    warp_of(*fiber).parked = true;
  }
  set_mixed(true);
}

}  // namespace assay::simt
