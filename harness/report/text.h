// Small texts that several sinks share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/printable.h"
#include "harness/result/fields.h"  // number_text
#include "harness/result/replay.h"

namespace assay {

// A line "title: text" for each field of the row that `shown` names and that has a text.
std::string titled_fields(const ResultRow& row, Shown shown);

// The first line of a text.
std::string_view first_line(std::string_view text);

// "1234567" -> "1,234,567"
std::string grouped(int64_t number);

// "1 case", "2 cases"
std::string plural(int64_t count, std::string_view noun);

// The hints of rows: for each variant, those of its first case that has any.
std::string hints_text(const std::vector<ResultRow>& rows);

}  // namespace assay
