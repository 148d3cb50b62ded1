// RunInfo as JSON: what run.json holds, with the version of the schema (result/row_json.h).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/report/report.h"

namespace assay {

std::string run_info_text(const RunInfo& info);  // of a run that goes on
std::string run_json(const Report& report);      // with the verdict that its rows come to, and its bugs
nlohmann::json to_json(const RunInfo& info);     // one member per field, by the field's name
Result<RunInfo> run_info_from_text(const std::string& text);

}  // namespace assay
