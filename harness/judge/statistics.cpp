// One more run of a case that has passed, whose memory accesses are counted. It judges nothing: what it would find, the
// runs before it have had the chance to find.
#include "harness/judge/judge.h"

namespace assay::judge {

void statistics(Trial& trial, Device& device) {
  Tensors again = trial.given;
  auto counted = device.statistics(trial.variant, trial.c, again, trial.c.schedule);
  if (!counted) return;
  counted->compulsory_bytes = compulsory_bytes(trial.contract, trial.c);
  set_statistics(trial.row, *std::move(counted));
}

}  // namespace assay::judge
