// Small texts that several sinks share: numbers, clean strings, and the command that replays a row.
#pragma once

#include <string>
#include <string_view>

#include "harness/judge/result.h"

namespace assay {

// Six significant digits, the shortest form: "0.25", "1e-07", "nan", "inf". The same on every machine.
std::string number_text(double value);

// Valid UTF-8 without control characters other than tab and newline: anything else is written as \xNN. A detail may
// hold whatever a crashing kernel printed; terminals, XML parsers and CSV readers must survive it.
std::string printable(std::string_view text);

// The first line of a text.
std::string_view first_line(std::string_view text);

// In single quotes, for a POSIX shell: ' becomes '\''.
std::string shell_quoted(std::string_view text);

// The command that runs a row's case again on the same device.
std::string replay_command(const ResultRow& row);

}  // namespace assay
