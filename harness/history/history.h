// The measurements of runs over time, in one file of SQLite: added run by run, read as series.
//
// Adding is one transaction: a run is in the file as a whole or not at all, also with several writers, and when a
// writer is killed. A run that is there already counts once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/compare/measured.h"
#include "harness/history/database.h"
#include "harness/report/over_time.h"

namespace assay::history {

inline constexpr const char* kDefaultPath = "reports/history.db";

// The schema's versions. A change is a new one at the end: files in the world have the old ones.
const Migrations& migrations();

struct RunEntry {
  int64_t id = 0;
  std::string started;  // UTC, "2026-01-31T12:00:00Z"
  std::string commit;
  std::string suite;
  std::string device;
  std::string gpu;
  std::string status;
  int64_t values = 0;
  int64_t failing = 0;  // cases
};

// One metric of one subject on one GPU (or without), over the runs that have it, oldest first.
struct Trend {
  std::string variant, subject, device, gpu;
  std::string metric, unit;
  Better better = Better::lower;
  bool exact = false;
  std::vector<TrendPoint> points;
};

// The judged cases of one op and dtype over several days.
struct Tally {
  std::string op, dtype;
  int64_t cases = 0, failing = 0;
};

struct Campaign {
  std::vector<Tally> tallies = {};  // those with failing cases first, then by op and dtype
  int64_t days = 0;                 // on which a run began
  std::string first, last;          // "2026-01-31"
};

class History {
 public:
  static Result<History> open(const std::string& path, bool create);

  // Returns false where the run was already there. A run without the time at which it began is an error. values.h says
  // what is kept.
  Result<bool> add(const comparison::Measured& run) const;

  Result<std::vector<RunEntry>> runs() const;  // oldest first

  // The series with `select` in "variant subject" and `metric` in the metric's name, of which "" means all, sorted by
  // variant, subject, device, GPU, metric.
  Result<std::vector<Trend>> trends(const std::string& select, const std::string& metric) const;

  // All cases that runs judged on the last `days` days on which one began; 0: on all.
  Result<Campaign> campaign(int64_t days) const;

  // Calls `write` with the heading and with every value as a line of CSV (RFC 4180), oldest run first.
  Result<void> export_csv(const std::function<void(const std::string&)>& write) const;

 private:
  explicit History(Database database) : database_(std::move(database)) {}
  Database database_;
};

}  // namespace assay::history
