// RunInfo as JSON: what run.json holds.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/report/report.h"

namespace assay {

nlohmann::json to_json(const RunInfo& info);             // one member per field, by the field's name
RunInfo run_info_from_json(const nlohmann::json& json);  // throws nlohmann::json::exception on a malformed object

}  // namespace assay
