// A history as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "harness/base/terminal.h"
#include "harness/history/history.h"

namespace assay::history {

// A line for each run, newest last; those before the last `last` are counted only. 0: all.
std::string runs_text(const std::vector<RunEntry>& runs, size_t last, const Terminal& terminal = {});

// How many cases of each op and dtype the days had, and how many of them failed; in the end all together.
std::string campaign_text(const Campaign& campaign);

// Shows where series changed their level (change_points.h): first what got worse, latest first; then what got better.
// Series that are level are counted, or listed with their latest value where `all` says so.
std::string trends_text(const std::vector<Trend>& trends, bool all, const Terminal& terminal = {});

}  // namespace assay::history
