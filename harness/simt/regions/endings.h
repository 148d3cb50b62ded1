// The ways in which a piece ends, and what its threads have to write down for what follows.
#pragma once

#include "harness/simt/regions/pieces.h"
#include "harness/simt/regions/uniformity.h"

namespace assay::regions {

struct Ending {
  bool is_recorded;       // there are several ends, so threads say at which they have stopped
  bool marks_returned;    // some threads may return while others go on
  bool checks_agreement;  // it is not proven that threads of a group stop at one point
};

// `uniformity` is that of the group.
Ending ending_of(const Point& point, const Pieces& pieces, const Uniformity& uniformity, bool by_warps);

}  // namespace assay::regions
