// Rows as JSON: a line of results.jsonl, and what a worker sends to its parent.
//
// Every row carries the version of the schema that it is written in. Fields that are not known are ignored, so a new
// one needs no new version; a field that is renamed, removed, made mandatory or given another meaning does.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/result/row.h"

namespace assay {

inline constexpr int kSchema = 1;  // of rows, run.json, results.csv and the page's data

std::string to_line(const ResultRow& row);  // without the newline; bytes that are no UTF-8 are replaced
Result<ResultRow> row_from_line(std::string_view line);

// JSON with the fields of fields.h; non-finite numbers as the strings "nan", "inf", "-inf".
nlohmann::json to_json(const ResultRow& row);
// A row of an earlier version comes with today's case line: one key in every version.
Result<ResultRow> row_from_json(const nlohmann::json& json);

// The member `schema` of `json` that this program can read, or why it cannot.
Result<void> check_schema(const nlohmann::json& json);

}  // namespace assay
