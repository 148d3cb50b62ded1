// The second part of `assay check --coverage`: cases that are aimed at the lines which the plan's did not cover.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"
#include "harness/search/campaign.h"

namespace assay {

// Runs at most `most` cases of each variant of `ids` (aimed_cases.h), one after the other, until all lines of
// report.info.coverage are covered, and notes there which case reached which line, and what was tried in vain. Rows are
// judged and shrunk as those of the plan, and join the report's; their place is -1. The totals of the coverage stay the
// suite's. options.budget is what is left of it.
// False where `options.stop` ended it; report.info.cases_planned then counts those that were left, too.
bool aim_at_uncovered(const std::vector<std::string>& ids, int64_t most, CampaignOptions options,
                      CampaignObserver& observer, Report& report);

}  // namespace assay
