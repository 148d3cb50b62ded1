// The page's data on earlier runs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/report/over_time.h"

namespace assay {

// {"worse": [groups], "trends": […], "saved": […]}. Lines that got worse are in groups of one change, variant and
// metric, the first line of each in full; points of a trend are [started, commit, value].
nlohmann::json over_time_of(const OverTime& over_time);

}  // namespace assay
