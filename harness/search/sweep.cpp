// The sweep: hands out tasks, keeps their rows in the plan's order, and bounds what hangs and crashes cost.
#include "harness/search/sweep.h"

#include <algorithm>
#include <map>
#include <set>

namespace assay {

bool is_fatal(Kind kind) { return kind == Kind::timeout || kind == Kind::crash || kind == Kind::judge_crash; }

std::chrono::duration<double> short_limit(double slowest_right, std::chrono::duration<double> case_limit) {
  return std::min(case_limit, std::chrono::duration<double>(std::max(0.4, 10 * slowest_right)));
}

std::chrono::duration<double> case_limit_of(const CampaignOptions& options, const std::string& op) {
  const auto own = options.case_limits.find(op);
  return own == options.case_limits.end() ? options.pool.case_limit : own->second;
}

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// The cost that hangs and crashes of one variant, dtype and device may have, in time limits of a case. Beyond the
// first, its cases get no more time than right ones need: those that run are judged, and those that hang show nothing
// new. Beyond the second, the rest is skipped.
constexpr double kPatientLimits = 2.5;
constexpr double kAllLimits = 5;

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
      if (const ResultRow* row = earlier(*task)) {
        judge(begin(), *row);
        continue;
      }
      out_of_time_ = options_.budget && Clock::now() - start_ >= *options_.budget;
      if (out_of_time_) break;
      const size_t index = begin();
      const Stream& of = streams_[stream_of(*task)];
      const Seconds limit = case_limit_of(options_, task->c.op);
      const double lost_limits = of.lost / limit;
      if (lost_limits >= kAllLimits) {
        give_up(index, task->c, task->device);
        continue;
      }
      const bool patient = lost_limits < kPatientLimits;
      if (!patient) hurried_.insert(index);
      pool.limit_cases(patient ? limit : short_limit(of.slowest_right, limit));
      return WorkerPool::Numbered{index, std::move(*task)};
    }
    return std::nullopt;
  }
  size_t begin() {
    places_.push_back(plan_.place());
    return places_.size() - 1;
  }

  // The row of this task from before the run was killed. A place alone would not do: the plan may be another.
  const ResultRow* earlier(const Task& task) const {
    const auto found = options_.earlier.find(plan_.place());
    const bool same =
        found != options_.earlier.end() && found->second.device == task.device && found->second.line() == print(task.c);
    return same ? &found->second : nullptr;
  }

  void judge(size_t index, ResultRow row) {
    Stream& of = streams_[stream_of({row.c, row.device})];
    const double seconds = row.figures.or_zero("seconds");
    // No more than the limit, which is of processor time: on a busy machine cases take longer on the clock.
    if (is_fatal(row.verdict)) of.lost += std::min(Seconds(seconds), case_limit_of(options_, row.c.op));
    if (!is_fatal(row.verdict)) of.slowest_right = std::max(of.slowest_right, seconds);
    if (row.verdict == Kind::timeout && hurried_.contains(index)) return give_up(index, row.c, row.device);
    finish(index, std::move(row));
  }
  void give_up(size_t index, const Case& c, const std::string& device) {
    finish(index,
           row_for(c, device, Kind::skipped, "this variant lost too much time to cases that hung or crashed before"));
  }
  void finish(size_t index, ResultRow row) {
    row.place = places_[index];
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
  std::set<size_t> hurried_;     // cases with a short limit
  std::vector<int64_t> places_;  // by index
  size_t kept_ = 0;
  bool out_of_time_ = false;
};

}  // namespace

CampaignResult sweep(Plan& plan, const CampaignOptions& options, WorkerPool& pool, CampaignObserver& observer) {
  Sweep sweep(plan, options, observer);
  CampaignResult result;
  result.end = sweep.run(pool);
  result.rows = std::move(sweep).rows();
  return result;
}

}  // namespace assay
