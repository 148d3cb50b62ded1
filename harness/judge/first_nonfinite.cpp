// Where a NaN or an infinity that should not be there was made: a third run, watched by the device.
#include <algorithm>
#include <cmath>

#include "harness/judge/judge.h"

namespace assay::judge {

void first_nonfinite(const Trial& trial, Device& device, Findings& findings) {
  const auto wrong = std::ranges::find(findings, Kind::nonfinite, &Finding::kind);
  const bool made_one =
      std::ranges::any_of(trial.row.worst, [](const WorstElement& element) { return !std::isfinite(element.got); });
  if (wrong == findings.end() || !made_one) return;  // a NaN may also be missing
  Tensors again = trial.given;
  const std::string report = device.first_nonfinite(trial.variant, trial.c, again, trial.c.schedule);
  if (!report.empty()) wrong->detail += "; " + report;
}

}  // namespace assay::judge
