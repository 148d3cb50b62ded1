// Maps the executor's kinds to the harness's by their names, so that no second list of them exists.
#include "harness/device/cpu/executor_findings.h"

#include "harness/base/check.h"

namespace assay {

Findings findings_of(const simt::Findings& found) {
  Findings findings;
  for (const simt::Finding& finding : found) {
    const auto kind = kind_from(simt::name(finding.kind));
    ASSAY_CHECK(kind, simt::name(finding.kind));
    findings.push_back({*kind, finding.detail});
  }
  return findings;
}

}  // namespace assay
