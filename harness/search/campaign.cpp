// The campaign's two halves: the sweep, and shrinking.
#include "harness/search/campaign.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/op/registry.h"
#include "harness/search/shrink.h"
#include "harness/search/shrink_defects.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// What hangs and crashes may cost of one variant, dtype and device, in time limits of a case. Beyond the first, its
// cases get no more time than right ones need: those that run are judged, and those that hang show nothing new. Beyond
// the second, the rest is skipped.
constexpr double kPatientLimits = 2.5;
constexpr double kAllLimits = 5;

bool is_fatal(Kind kind) { return kind == Kind::timeout || kind == Kind::crash; }

// Well above what right cases took.
Seconds short_limit(double slowest_right, Seconds case_limit) {
  return std::min(case_limit, Seconds(std::max(0.4, 10 * slowest_right)));
}

class Sweep {
 public:
  Sweep(Plan& plan, const CampaignOptions& options, CampaignObserver& observer)
      : plan_(plan), options_(options), observer_(observer) {}

  CampaignEnd run(WorkerPool& pool) {
    for (const ResultRow& row : plan_.skipped()) keep(row);
    pool.run([&] { return next(pool); }, [&](size_t index, ResultRow row) { judge(index, std::move(row)); },
             options_.stop);
    if (stopped()) return CampaignEnd::interrupted;
    return out_of_time_ ? CampaignEnd::out_of_time : CampaignEnd::complete;
  }

  // The rows that were finished, in the plan's order.
  std::vector<ResultRow> rows() && {
    for (auto& [index, row] : waiting_) keep(std::move(row));
    return std::move(rows_);
  }

 private:
  struct Stream {
    Seconds lost{};            // to hangs and crashes
    double slowest_right = 0;  // of the cases that neither hung nor crashed, in seconds
  };

  bool stopped() const { return options_.stop && options_.stop->load(); }

  std::optional<WorkerPool::Numbered> next(WorkerPool& pool) {
    while (!stopped()) {
      auto task = plan_.next();
      if (!task) break;
      out_of_time_ = options_.budget && Clock::now() - start_ >= *options_.budget;
      if (out_of_time_) break;
      const size_t index = started_++;
      const Stream& of = streams_[stream_of(*task)];
      const double lost_limits = of.lost / options_.pool.case_limit;
      if (lost_limits >= kAllLimits) {
        give_up(index, task->c, task->device);
        continue;
      }
      const bool patient = lost_limits < kPatientLimits;
      if (!patient) hurried_.insert(index);
      pool.limit_cases(patient ? options_.pool.case_limit : short_limit(of.slowest_right, options_.pool.case_limit));
      return WorkerPool::Numbered{index, std::move(*task)};
    }
    return std::nullopt;
  }
  void judge(size_t index, ResultRow row) {
    Stream& of = streams_[stream_of({row.c, row.device})];
    const double seconds = row.figures.or_zero("seconds");
    // No more than the limit, which is of processor time: on a busy machine cases take longer on the clock.
    if (is_fatal(row.verdict)) of.lost += std::min(Seconds(seconds), options_.pool.case_limit);
    if (!is_fatal(row.verdict)) of.slowest_right = std::max(of.slowest_right, seconds);
    if (row.verdict == Kind::timeout && hurried_.contains(index)) return give_up(index, row.c, row.device);
    finish(index, std::move(row));
  }
  void give_up(size_t index, const Case& c, const std::string& device) {
    finish(index,
           row_for(c, device, Kind::skipped, "this variant lost too much time to cases that hung or crashed before"));
  }
  void finish(size_t index, ResultRow row) {
    observer_.case_done(row);
    waiting_.emplace(index, std::move(row));
    for (; !waiting_.empty() && waiting_.begin()->first == kept_; ++kept_) {
      keep(std::move(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
    }
  }
  void keep(ResultRow row) {
    observer_.row_ready(row);
    rows_.push_back(std::move(row));
  }

  Plan& plan_;
  const CampaignOptions& options_;
  CampaignObserver& observer_;
  const Clock::time_point start_ = Clock::now();
  std::vector<ResultRow> rows_;          // in the plan's order
  std::map<size_t, ResultRow> waiting_;  // done before one that precedes them
  std::map<std::string, Stream> streams_;
  std::set<size_t> hurried_;  // cases with a short limit
  size_t started_ = 0, kept_ = 0;
  bool out_of_time_ = false;
};

// How long a candidate may run: well above what the variant's right cases took, so that a hang costs little.
Seconds candidate_limit(const std::vector<ResultRow>& rows, const ResultRow& failing, Seconds case_limit) {
  double slowest = 0;
  for (const ResultRow& row : rows)
    if (row.c.op == failing.c.op && row.device == failing.device && !is_fatal(row.verdict))
      slowest = std::max(slowest, row.figures.or_zero("seconds"));
  return short_limit(slowest, case_limit);
}

// Candidates had less time than a case has: the smallest one is to show that it really hangs. And nobody explained
// their wrong values.
bool is_run_again(Kind verdict) {
  return verdict == Kind::timeout || verdict == Kind::mismatch || verdict == Kind::nonfinite;
}

// What is the same for all defects: the workers, and every row that was run, because defects share candidates.
class CandidateRuns {
 public:
  CandidateRuns(WorkerPool& pool, const CampaignOptions& options, const std::vector<ResultRow>& rows)
      : pool_(pool), options_(options) {
    extras_.watching.strict_barriers =  // as the whole run has it
        std::any_of(rows.begin(), rows.end(), [](const ResultRow& row) { return row.options == kStrictBarriers; });
    extras_.undiagnosed = true;
  }

  bool stopped() const { return options_.stop && options_.stop->load(); }

  ResultRow run(const Case& c, const std::string& device, Seconds limit) {
    const std::pair key{device, print(c)};
    if (const auto known = rows_.find(key); known != rows_.end()) return known->second;
    auto row = pool_.run_one({c, device, extras_}, limit, options_.stop);
    if (!row) return {};
    return rows_[key] = is_failure(row->verdict) ? *std::move(row) : ResultRow{};
  }

  std::optional<ResultRow> shrink(const ResultRow& failing, Seconds limit, const IsSame& same) {
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(options_.shrink_budget);
    const Variant* variant = find_variant(failing.c.op, failing.c.variant, failing.device);
    auto smallest = assay::shrink(*find_op(failing.c.op), *variant, failing.c, same,
                                  [&](const Case& c) { return run(c, failing.device, limit); },
                                  {deadline, [this] { return stopped(); }});
    if (!smallest || !is_run_again(smallest->verdict)) return smallest;
    Extras extras = extras_;
    extras.undiagnosed = false;
    auto confirmed = pool_.run_one({smallest->c, failing.device, extras}, options_.pool.case_limit, options_.stop);
    if (!confirmed || !same(*confirmed)) return smallest->verdict == Kind::timeout ? std::nullopt : std::move(smallest);
    confirmed->shrunk_from = smallest->shrunk_from;
    return confirmed;
  }

 private:
  WorkerPool& pool_;
  const CampaignOptions& options_;
  Extras extras_;
  std::map<std::pair<std::string, std::string>, ResultRow> rows_;
};

}  // namespace

CampaignResult run_campaign(Plan& plan, const CampaignOptions& options, CampaignObserver& observer) {
  WorkerPool pool(options.pool);
  CampaignResult result;
  Sweep sweep(plan, options, observer);
  result.end = sweep.run(pool);
  result.rows = std::move(sweep).rows();
  if (result.end == CampaignEnd::interrupted || options.shrink_budget.count() <= 0) return result;

  CandidateRuns candidates(pool, options, result.rows);
  auto made = shrink_defects(
      result.rows,
      {.shrink =
           [&](const ResultRow& failing, const IsSame& same) {
             return candidates.shrink(failing, candidate_limit(result.rows, failing, options.pool.case_limit), same);
           },
       .run = [&](const Case& c,
                  const std::string& device) { return candidates.run(c, device, options.pool.case_limit); },
       .stopped = [&] { return candidates.stopped(); },
       .begins = [&](const ResultRow& failing) { observer.shrinking(failing); },
       .ends = [&](const ResultRow& failing, const ResultRow& smallest) { observer.shrunk(failing, smallest); },
       .left_out = [&](const std::string& id, size_t defects) { observer.not_shrunk(id, defects); }});
  std::stable_sort(made.begin(), made.end(), [](const ShrunkRow& a, const ShrunkRow& b) { return a.after < b.after; });
  for (auto at = made.rbegin(); at != made.rend(); ++at) {
    observer.row_ready(at->row);
    result.rows.insert(result.rows.begin() + static_cast<std::ptrdiff_t>(at->after) + 1, std::move(at->row));
  }
  if (options.stop && options.stop->load()) result.end = CampaignEnd::interrupted;
  return result;
}

}  // namespace assay
