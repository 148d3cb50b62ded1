// A campaign: runs a plan's cases in workers (sweep.h), then shrinks what failed.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/row.h"
#include "harness/search/plan.h"
#include "harness/search/worker_pool.h"

namespace assay {

struct CampaignOptions {
  PoolOptions pool;
  std::map<std::string, std::chrono::duration<double>> case_limits = {};  // by op, where it is not that of `pool`
  std::optional<std::chrono::duration<double>> budget;                    // no new case starts after it
  std::chrono::duration<double> shrink_budget{15};                        // for each defect; 0: no shrinking
  const std::atomic<bool>* stop = nullptr;                                // Ctrl-C
  std::map<int64_t, ResultRow> earlier = {};  // by place: rows of a run that ended early, which are not run again
};

// The events that a campaign reports while it runs. Rows come in the plan's order, as soon as all before them are done.
class CampaignObserver {
 public:
  virtual ~CampaignObserver() = default;
  virtual void case_done(const ResultRow& row) = 0;      // in completion order, for progress
  virtual void row_ready(const ResultRow& row) = 0;      // in the plan's order, for streaming
  virtual void shrinking(const ResultRow& failing) = 0;  // before the first candidate runs
  virtual void shrunk(const ResultRow& failing,
                      const ResultRow& smallest) = 0;  // the smallest is `failing` itself if none is simpler
  virtual void not_shrunk(const std::string& id, size_t defects) = 0;  // of a variant that has too many
};

// How long a case of this op may take.
std::chrono::duration<double> case_limit_of(const CampaignOptions& options, const std::string& op);

enum class CampaignEnd : uint8_t { complete, interrupted, out_of_time };

struct CampaignResult {
  std::vector<ResultRow> rows = {};  // in the plan's order; a shrunk row follows the row that it came from
  CampaignEnd end = CampaignEnd::complete;
};

// Adds rows of the smallest cases that show what `result` has failing. Rows are of variants that this program has, on
// devices that are here.
void shrink_rows(CampaignResult& result, const CampaignOptions& options, WorkerPool& pool, CampaignObserver& observer);

CampaignResult run_campaign(Plan& plan, const CampaignOptions& options, CampaignObserver& observer);

}  // namespace assay
