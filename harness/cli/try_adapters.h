// Trying ways to call a kernel on a few small cases.
#pragma once

#include "harness/adapter/user_kernels.h"

namespace assay {

// Takes the first variant that passes every one of a few cases: sizes all different, so that no exchange of two goes
// unseen, and data of every tensor its own. In the checked build where there is one, which also sees what a wrong grid
// or too little shared memory does.
Tried try_adapters(const std::vector<std::string>& ids);

}  // namespace assay
