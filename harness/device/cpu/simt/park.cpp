// Keeps threads that wait from running while the ring goes round for others.
#include "harness/device/cpu/simt/worker.h"

namespace assay::simt {

// Before a round that only spinning threads run: a warp that never waited for parts of itself has no parked lane yet,
// and would leave its barrier.
void Worker::park_waiting() {
  for (int i = 0; i < warp_count_; ++i) {
    Warp& warp = warps_[static_cast<size_t>(i)];
    size_t place = 0;
    for (Fiber* fiber = warp.begin(); fiber != warp.end(); ++fiber, ++place) {
      if (is_dead(*fiber) || warp.parked_pc[place] != nullptr) continue;
      warp.parked_pc[place] = fiber->pc;
      fiber->pc = stub(assay_simt_parked);
    }
  }
}

}  // namespace assay::simt
