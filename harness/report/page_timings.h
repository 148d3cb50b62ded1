// The timings of report.html, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/report/report.h"

namespace assay {

// {"timings": [a row each], "best": [indices of them], "clocks": [a case each], "roofs": [lines over intensity],
// "left_out": [a reason each]}.
// Figures that there is nothing of are null. `timings` is empty when the report has none.
nlohmann::json performance_of(const Report& report);

}  // namespace assay
