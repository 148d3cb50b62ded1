// The summary that `assay check` and `assay bench` print at the end.
#pragma once

#include <string>

#include "harness/base/terminal.h"
#include "harness/report/report.h"

namespace assay {

// The text is as wide as the terminal, except lines to be copied (a case line, a replay command), which are never
// broken. One block for each cause (causes.h) shows its first case in full; a run with one bug fits a screen of 24
// lines.
std::string summary_text(const Report& report, const Terminal& terminal = {});

// Three lines for each cause: its verdict, its first case, and the command that replays that; then the outcome.
std::string brief_summary_text(const Report& report, const Terminal& terminal = {});

// The same three lines for one row; one line for a row that is no failure.
std::string brief_text(const ResultRow& row, const Terminal& terminal = {});

}  // namespace assay
