// Small texts that several sinks share: numbers, clean strings, and the command that replays a row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/result/fields.h"  // number_text

namespace assay {

// Valid UTF-8 without control characters other than tab and newline: anything else is written as \xNN. A detail may
// hold whatever a crashing kernel printed; terminals, XML parsers and CSV readers must survive it.
std::string printable(std::string_view text);

// A line "title: text" for each field of the row that `shown` names and that has a text.
std::string titled_fields(const ResultRow& row, Shown shown);

// The first line of a text.
std::string_view first_line(std::string_view text);

// In single quotes, for a POSIX shell: ' becomes '\''.
std::string shell_quoted(std::string_view text);

// What rows have as hints: of each variant, those of its first case that has any.
std::string hints_text(const std::vector<ResultRow>& rows);

// The command that runs a row's case again on the same device.
std::string replay_command(const ResultRow& row);

}  // namespace assay
