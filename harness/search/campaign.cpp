// The second half of a campaign: shrinking.
#include "harness/search/campaign.h"

#include <algorithm>
#include <map>

#include "harness/op/registry.h"
#include "harness/search/partial_hints.h"
#include "harness/search/shrink.h"
#include "harness/search/shrink_defects.h"
#include "harness/search/sweep.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// How long a candidate may run: well above what the variant's right cases took, so that a hang costs little.
Seconds candidate_limit(const std::vector<ResultRow>& rows, const ResultRow& failing, Seconds case_limit) {
  double slowest = 0;
  for (const ResultRow& row : rows)
    if (row.c.op == failing.c.op && row.device == failing.device && !is_fatal(row.verdict))
      slowest = std::max(slowest, row.figures.or_zero("seconds"));
  return short_limit(slowest, case_limit);
}

// Shrinking runs cases with less time than a case has: the smallest one must show that it really hangs. Their wrong
// values also lack a diagnosis.
bool is_run_again(Kind verdict) {
  return verdict == Kind::timeout || verdict == Kind::mismatch || verdict == Kind::nonfinite;
}

// A run with a budget has a quarter of it for shrinking all that it found, at least this.
constexpr Seconds kShrinkingLeast{10};

Clock::time_point end_of_shrinking(const CampaignOptions& options) {
  if (!options.budget) return Clock::time_point::max();
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::max(kShrinkingLeast, *options.budget / 4));
}

// The parts that are the same for all defects: the workers, and every row that was run, because defects share
// candidates.
class CandidateRuns {
 public:
  CandidateRuns(WorkerPool& pool, const CampaignOptions& options, const std::vector<ResultRow>& rows)
      : pool_(pool), options_(options) {
    extras_.watching.strict_barriers =  // as the whole run has it
        std::ranges::any_of(rows, [](const ResultRow& row) { return row.options == kStrictBarriers; });
    extras_.undiagnosed = true;
  }

  bool stopped() const { return (options_.stop && options_.stop->load()) || Clock::now() >= end_; }

  ResultRow run(const Case& c, const std::string& device, Seconds limit) {
    const std::pair key{device, print(c)};
    if (const auto known = rows_.find(key); known != rows_.end()) return known->second;
    auto row = pool_.run_one({c, device, extras_}, limit, options_.stop);
    if (!row) return {};
    return rows_[key] = is_failure(row->verdict) ? *std::move(row) : ResultRow{};
  }

  std::optional<ResultRow> shrink(const ResultRow& failing, Seconds limit, const IsSame& same) {
    const auto deadline =
        std::min(end_, Clock::now() + std::chrono::duration_cast<Clock::duration>(options_.shrink_budget));
    const Variant* variant = find_variant(failing.c.op, failing.c.variant, failing.device);
    auto smallest = assay::shrink(*find_op(failing.c.op), *variant, failing.c, same,
                                  [&](const Case& c) { return run(c, failing.device, limit); },
                                  {deadline, [this] { return stopped(); }});
    if (!smallest || !is_run_again(smallest->verdict)) return smallest;
    Extras extras = extras_;
    extras.undiagnosed = false;
    auto confirmed =
        pool_.run_one({smallest->c, failing.device, extras}, case_limit_of(options_, failing.c.op), options_.stop);
    if (!confirmed || !same(*confirmed)) return smallest->verdict == Kind::timeout ? std::nullopt : std::move(smallest);
    confirmed->shrunk_from = smallest->shrunk_from;
    return confirmed;
  }

 private:
  WorkerPool& pool_;
  const CampaignOptions& options_;
  const Clock::time_point end_ = end_of_shrinking(options_);
  Extras extras_;
  std::map<std::pair<std::string, std::string>, ResultRow> rows_;
};

}  // namespace

void shrink_rows(CampaignResult& result, const CampaignOptions& options, WorkerPool& pool, CampaignObserver& observer) {
  if (result.end == CampaignEnd::interrupted || options.shrink_budget.count() <= 0) return;

  CandidateRuns candidates(pool, options, result.rows);
  auto made = shrink_defects(
      result.rows,
      {.shrink =
           [&](const ResultRow& failing, const IsSame& same) {
             return candidates.shrink(
                 failing, candidate_limit(result.rows, failing, case_limit_of(options, failing.c.op)), same);
           },
       .run = [&](const Case& c,
                  const std::string& device) { return candidates.run(c, device, case_limit_of(options, c.op)); },
       .stopped = [&] { return candidates.stopped(); },
       .begins = [&](const ResultRow& failing) { observer.shrinking(failing); },
       .ends = [&](const ResultRow& failing, const ResultRow& smallest) { observer.shrunk(failing, smallest); },
       .left_out = [&](const std::string& id, size_t defects) { observer.not_shrunk(id, defects); }});
  std::ranges::stable_sort(made, [](const ShrunkRow& a, const ShrunkRow& b) { return a.after < b.after; });
  for (ShrunkRow& each : made) drop_partial_hint(result.rows, each.row);
  for (auto at = made.rbegin(); at != made.rend(); ++at) {
    observer.row_ready(at->row);
    result.rows.insert(result.rows.begin() + static_cast<std::ptrdiff_t>(at->after) + 1, std::move(at->row));
  }
  if (options.stop && options.stop->load()) result.end = CampaignEnd::interrupted;
}

CampaignResult run_campaign(Plan& plan, const CampaignOptions& options, CampaignObserver& observer) {
  WorkerPool pool(options.pool);
  CampaignResult result = sweep(plan, options, pool, observer);
  shrink_rows(result, options, pool, observer);
  return result;
}

}  // namespace assay
