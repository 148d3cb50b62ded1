// The harness's random numbers: the executor's, so that there is one generator. Every choice comes from one that is
// passed in.
#pragma once

#include "harness/simt/include/simt/rng.h"

namespace assay {

using simt::Rng;

}  // namespace assay
