// RunInfo as JSON: what run.json holds, with the version of the schema (result/row_json.h).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/report/report.h"

namespace assay {

std::string run_info_text(const RunInfo& info);  // of run.json
nlohmann::json to_json(const RunInfo& info);     // one member per field, by the field's name
Result<RunInfo> run_info_from_text(const std::string& text);

}  // namespace assay
