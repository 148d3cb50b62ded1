// The first half of a campaign: every case of the plan, once.
#pragma once

#include "harness/search/campaign.h"

namespace assay {

CampaignResult sweep(Plan& plan, const CampaignOptions& options, WorkerPool& pool, CampaignObserver& observer);

bool is_fatal(Kind kind);  // it costs a time limit or a process

// Well above what right cases took.
std::chrono::duration<double> short_limit(double slowest_right, std::chrono::duration<double> case_limit);

}  // namespace assay
