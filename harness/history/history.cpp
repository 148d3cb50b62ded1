// The tables of a history, and what goes in and out of them.
#include "harness/history/history.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>

#include "harness/base/write_file.h"
#include "harness/history/values.h"
#include "harness/op/earlier_lines.h"
#include "harness/report/run_info.h"

namespace assay::history {
namespace {

using comparison::Measured;
using comparison::Subject;

constexpr const char* kVersion1 = R"sql(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,  -- of all that was added, so that a run counts once
  started TEXT NOT NULL, commit_hash TEXT NOT NULL, suite TEXT NOT NULL, device TEXT NOT NULL, gpu TEXT NOT NULL,
  status TEXT NOT NULL, info TEXT NOT NULL  -- run.json
);
CREATE TABLE subjects (
  id INTEGER PRIMARY KEY,
  variant TEXT NOT NULL, dtype TEXT NOT NULL, name TEXT NOT NULL, device TEXT NOT NULL,
  UNIQUE (name, device, variant, dtype)
);
CREATE TABLE metrics (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL, better TEXT NOT NULL, exact INTEGER NOT NULL
);
CREATE TABLE points (  -- "values" is a word of SQL
  run INTEGER NOT NULL REFERENCES runs, subject INTEGER NOT NULL REFERENCES subjects,
  metric INTEGER NOT NULL REFERENCES metrics,
  value REAL NOT NULL, low REAL, high REAL, samples INTEGER NOT NULL,
  PRIMARY KEY (subject, metric, run)
) WITHOUT ROWID;
)sql";

Better better_from(const std::string& text) {
  for (const Better better : {Better::lower, Better::higher})
    if (text == name(better)) return better;
  return Better::neither;
}

std::string gpu_of(const Measured& run) {
  if (run.info.gpu) return run.info.gpu->name;
  for (const auto& [key, subject] : run.subjects)
    if (!subject.gpu.empty()) return subject.gpu;
  return "";
}

std::string csv(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace

const Migrations& migrations() {
  static const Migrations all{kVersion1};
  return all;
}

Result<History> History::open(const std::string& path, bool create) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (create && !folder.empty() && !std::filesystem::create_directories(folder, error) && error)
    return tl::unexpected(write_error(folder.string(), error.value()));
  if (!create && !std::filesystem::exists(path, error))
    return fail("there is no history '" + path + "'", "add a run with `assay history add RUN`, or name it with --db");
  return History(ASSAY_TRY(Database::open(path, migrations(), create)));
}

Result<bool> History::add(const Measured& run) const {
  if (run.info.started.empty())
    return fail("'" + run.path + "' does not say when it was made", "add the run's folder, with its run.json");
  const std::vector<Value> values = values_of(run);
  const std::string digest = digest_of(run.info, values);
  return database_.transaction([&]() -> Result<bool> {
    auto known = ASSAY_TRY(database_.prepare("SELECT 1 FROM runs WHERE digest = ?"));
    const auto is_there = known.bind(digest).step();
    if (!is_there || *is_there) return is_there ? Result<bool>(false) : is_there;
    auto new_run = database_.prepare(
        "INSERT INTO runs (digest, started, commit_hash, suite, device, gpu, status, info) VALUES (?, ?, ?, ?, ?, ?, "
        "?, ?)");
    auto new_subject =
        database_.prepare("INSERT OR IGNORE INTO subjects (variant, dtype, name, device) VALUES (?, ?, ?, ?)");
    auto new_metric =
        database_.prepare("INSERT OR IGNORE INTO metrics (name, unit, better, exact) VALUES (?, ?, ?, ?)");
    auto new_point = database_.prepare(
        "INSERT INTO points (run, subject, metric, value, low, high, samples) VALUES (?,"
        " (SELECT id FROM subjects WHERE name = ? AND device = ? AND variant = ? AND dtype = ?),"
        " (SELECT id FROM metrics WHERE name = ?), ?, ?, ?, ?)");
    for (const auto* statement : {&new_run, &new_subject, &new_metric, &new_point})
      if (!*statement) return tl::unexpected(statement->error());
    const RunInfo& info = run.info;
    if (auto added = new_run->bind(digest)
                         .bind(info.started)
                         .bind(info.git_commit)
                         .bind(info.suite)
                         .bind(info.device)
                         .bind(gpu_of(run))
                         .bind(info.status)
                         .bind(run_info_text(info))
                         .run();
        !added)
      return tl::unexpected(added.error());
    const int64_t id = database_.last_row();
    for (const Value& value : values) {
      const Subject& of = value.subject;
      ASSAY_TRY(new_subject->bind(of.variant).bind(of.dtype).bind(of.name).bind(of.device).run());
      if (auto added = new_metric->bind(value.metric)
                           .bind(value.unit)
                           .bind(std::string(name(value.better)))
                           .bind(int64_t{value.exact})
                           .run();
          !added)
        return tl::unexpected(added.error());
      if (auto added = new_point->bind(id)
                           .bind(of.name)
                           .bind(of.device)
                           .bind(of.variant)
                           .bind(of.dtype)
                           .bind(value.metric)
                           .bind(value.value)
                           .bind(value.interval.low)
                           .bind(value.interval.high)
                           .bind(value.samples)
                           .run();
          !added)
        return tl::unexpected(added.error());
    }
    return true;
  });
}

Result<std::vector<RunEntry>> History::runs() const {
  auto rows = ASSAY_TRY(database_.prepare(
      "SELECT id, started, commit_hash, suite, device, gpu, status,"
      " (SELECT count(*) FROM points WHERE run = runs.id),"
      " (SELECT total(value) FROM points JOIN metrics ON metrics.id = metric WHERE run = runs.id AND metrics.name = ?)"
      " FROM runs ORDER BY started, id"));
  rows.bind(std::string(kFailing));
  std::vector<RunEntry> all;
  while (ASSAY_TRY(rows.step()))
    all.push_back({rows.integer(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.text(5), rows.text(6),
                   rows.integer(7), rows.integer(8)});
  return all;
}

Result<std::vector<Trend>> History::trends(const std::string& select, const std::string& metric) const {
  auto rows = ASSAY_TRY(database_.prepare(
      "SELECT runs.gpu, variant, subjects.name, subjects.device, metrics.name, unit, better,"
      " exact, started, commit_hash, value"
      " FROM points JOIN runs ON runs.id = run JOIN subjects ON subjects.id = subject JOIN metrics ON metrics.id = "
      "metric"
      " WHERE instr(variant || ' ' || subjects.name, ?) > 0 AND instr(metrics.name, ?) > 0"
      " ORDER BY started, runs.id"));
  rows.bind(select).bind(metric);
  // Trends are keyed by the line as this version writes it: an op that got an attribute goes on with the series that it
  // had.
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, Trend> trends;
  while (ASSAY_TRY(rows.step())) {
    const std::string name = as_written_today(rows.text(2));
    Trend& trend = trends[{rows.text(1), name, rows.text(3), rows.text(0), rows.text(4)}];
    trend.variant = rows.text(1), trend.subject = name, trend.device = rows.text(3), trend.gpu = rows.text(0);
    trend.metric = rows.text(4), trend.unit = rows.text(5);
    trend.better = better_from(rows.text(6)), trend.exact = rows.integer(7) != 0;
    if (const double value = rows.real(10); std::isfinite(value))
      trend.points.push_back({rows.text(8), rows.text(9), value});
  }
  std::vector<Trend> all;
  for (auto& [key, trend] : trends) all.push_back(std::move(trend));
  return all;
}

Result<Campaign> History::campaign(int64_t days) const {
  auto rows = ASSAY_TRY(database_.prepare(
      "WITH days AS (SELECT DISTINCT substr(started, 1, 10) AS day FROM runs ORDER BY day DESC LIMIT ?)"
      " SELECT substr(variant, 1, instr(variant || '/', '/') - 1) AS op, dtype, sum(samples), total(value),"
      " (SELECT count(*) FROM days), (SELECT min(day) FROM days), (SELECT max(day) FROM days)"
      " FROM points JOIN runs ON runs.id = run JOIN subjects ON subjects.id = subject JOIN metrics ON metrics.id = "
      "metric"
      " WHERE metrics.name = ? AND substr(started, 1, 10) IN (SELECT day FROM days)"
      " GROUP BY op, dtype ORDER BY total(value) DESC, op, dtype"));
  rows.bind(days > 0 ? days : int64_t{-1}).bind(std::string(kFailing));  // -1 is no limit
  Campaign all;
  while (ASSAY_TRY(rows.step())) {
    all.tallies.push_back({rows.text(0), rows.text(1), rows.integer(2), rows.integer(3)});
    all.days = rows.integer(4), all.first = rows.text(5), all.last = rows.text(6);
  }
  return all;
}

Result<void> History::export_csv(const std::function<void(const std::string&)>& write) const {
  auto rows = ASSAY_TRY(database_.prepare(
      "SELECT run, started, commit_hash, suite, runs.device, gpu, variant, dtype, subjects.name, subjects.device,"
      " metrics.name, unit, value, low, high, samples"
      " FROM points JOIN runs ON runs.id = run JOIN subjects ON subjects.id = subject JOIN metrics ON metrics.id = "
      "metric"
      " ORDER BY started, run, variant, subjects.name, subjects.device, metrics.name"));
  write("run,started,commit,suite,run_device,gpu,variant,dtype,subject,device,metric,unit,value,low,high,samples\n");
  while (ASSAY_TRY(rows.step())) {
    std::string line = std::to_string(rows.integer(0));
    for (int column = 1; column <= 11; ++column) line += "," + csv(as_written_today(rows.text(column)));
    for (int column = 12; column <= 14; ++column) line += "," + csv(rows.real(column));
    write(line + "," + std::to_string(rows.integer(15)) + "\n");
  }
  return {};
}

}  // namespace assay::history
