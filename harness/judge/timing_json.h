// Timings as JSON: the field `timing` of a result row. The names are those of Timing (harness/device/timing.h); figures
// that there are none of are left out. `samples` is a list of [microseconds, MHz] pairs in the order of measuring, with
// a third element, 1, where the sample was discarded.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/device/timing.h"

namespace assay {

nlohmann::json to_json(const Timing& timing);
Timing timing_from_json(const nlohmann::json& json);  // throws nlohmann::json::exception

}  // namespace assay
