// Trying candidates of a kernel on a few small cases.
#pragma once

#include "harness/adapter/user_kernels.h"

namespace assay {

// Runs a few cases of each variant: sizes all different, so that no exchange of two goes unseen, and data of every
// tensor its own. They run in the checked build where there is one, which also sees the effects of a wrong grid or too
// little shared memory. A variant that passes all is right; the ones behind it are not run.
std::vector<TriedCandidate> try_adapters(const std::vector<std::string>& ids, const AttrChoices& with, TrySizes sizes);

}  // namespace assay
