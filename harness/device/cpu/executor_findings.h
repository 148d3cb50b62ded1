// The executor's findings, in the words of the harness.
#pragma once

#include "harness/base/verdict.h"
#include "harness/simt/runtime/finding.h"

namespace assay {

Findings findings_of(const simt::Findings& found);

}  // namespace assay
