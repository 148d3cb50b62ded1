// Times on a GPU: variants that pass a case are measured in it against each other.
#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/bench/google_benchmark.h"
#include "harness/bench/measuring_process.h"
#include "harness/bench/processes.h"
#include "harness/cli/bench_run.h"
#include "harness/cli/environment.h"
#include "harness/op/registry.h"
#include "harness/report/console.h"
#include "harness/report/text.h"
#include "harness/search/scale_down.h"
#include "harness/search/worker_pool.h"

namespace assay {
namespace {

using Seconds = std::chrono::duration<double>;

// Warming up, compiling plans, verifying: time in a measured case besides the sampling.
constexpr double kBesidesSampling = 4;

// What checking the smaller case says of the line.
ResultRow of_line(ResultRow checked, const Case& line) {
  if (!(checked.c == line)) checked.detail = fmt::format("checked as `{}`: {}", checked.line(), checked.detail);
  checked.c = line;
  return checked;
}

class MeasuredCases {
 public:
  MeasuredCases(BenchRun& run, Roofs roofs) : run_(run), roofs_(std::move(roofs)), gate_({.jobs = 1}) {}

  // The rows of a case, in the order of its candidates. Nothing when it was interrupted.
  std::vector<ResultRow> rows_of(const BenchCase& one) {
    std::vector<ResultRow> rows;
    std::vector<const Variant*> passing;
    for (const Variant* variant : one.candidates) {
      const Case line = case_for(one.c, *variant);
      auto row = check(line);
      if (!row) return {};
      if (row->verdict == Kind::pass) passing.push_back(variant);
      rows.push_back(of_line(*std::move(row), line));
    }
    if (passing.empty()) return rows;
    const MeasureOptions options = measure_options(run_.arguments());
    const MeasuringOptions how{.limit = Seconds(run_.arguments().case_limit_s + kBesidesSampling * options.budget_s),
                               .stop = &interrupted_flag()};
    const auto once = [&](const std::vector<const Variant*>& candidates, const MeasureOptions& own) {
      return measure_case_in_process(one.c, candidates, roofs_, own, how);
    };
    auto measured = measure_in_processes(passing, roofs_, options, run_.arguments().processes, once);
    if (measured.empty()) return {};
    auto next = measured.begin();
    for (ResultRow& row : rows)
      if (row.verdict == Kind::pass) merge(row, *next++);
    return rows;
  }

  // The same of an earlier run. A case is measured as a whole: one row that is not there, and there are none.
  std::vector<ResultRow> earlier_rows(const BenchCase& one) const {
    std::vector<ResultRow> rows;
    for (const Variant* variant : one.candidates) {
      const ResultRow* row = run_.earlier(case_for(one.c, *variant));
      if (!row) return {};
      rows.push_back(*row);
    }
    return rows;
  }

 private:
  // Checks a line in full on a smaller case, which takes milliseconds; on itself where there is none that the variant
  // takes. Nothing when it was interrupted.
  std::optional<ResultRow> check(const Case& line) {
    const auto run = [&](const Case& c) {
      return gate_.run_one({c, run_.device()}, Seconds(run_.arguments().case_limit_s), &interrupted_flag());
    };
    const auto small =
        scaled_down(*find_op(line.op), line, {run_.arguments().elements_max, run_.arguments().flops_max});
    if (!small || *small == line) return run(line);
    auto row = run(*small);
    return row && row->verdict == Kind::unsupported ? run(line) : row;
  }

  // The row of measuring, with the errors that the check found.
  static void merge(ResultRow& row, ResultRow& measured) {
    measured.sensitivity = std::move(row.sensitivity);
    if (!measured.figures.has("error_over_budget"))
      measured.figures["error_over_budget"] = row.figures["error_over_budget"];
    row = std::move(measured);
  }

  BenchRun& run_;
  Roofs roofs_;
  WorkerPool gate_;
};

std::string origins(const BenchPlan& plan) {
  std::string text = "\nwhere the shapes come from\n";
  for (const BenchCase& one : plan.cases)
    for (const BenchLine& line : one.stands_for)
      text += fmt::format("  {}\n    {}\n", print(line.c), printable(line.from));
  return text;
}

}  // namespace

void bench_times(const BenchPlan& plan, BenchRun& run, Report& report) {
  describe_gpu(report.info);
  const MeasuringOptions how{.limit = Seconds(run.arguments().case_limit_s), .stop = &interrupted_flag()};
  const auto roofs = measure_roofs_in_process(measure_options(run.arguments()), how);
  if (!roofs) run.say(roofs.error().line());
  if (roofs) {
    report.info.roofs = roofs->roofs;
    for (const Error& missing : roofs->missing) run.say(missing.line());
  }
  MeasuredCases cases(run, report.info.roofs);
  for (const BenchCase& one : plan.cases) {
    if (run.over()) break;
    auto rows = cases.earlier_rows(one);
    for (const ResultRow& row : rows) run.kept(row);
    if (rows.empty()) {
      rows = cases.rows_of(one);
      for (const ResultRow& row : rows) run.done(row);
    }
    for (ResultRow& row : rows) report.rows.push_back(std::move(row));
  }
  run.end();
  publish(report.rows, {{"gpu", report.info.gpu ? report.info.gpu->name : "unknown"}});
  report.info.status = run.status();
  std::fputs((origins(plan) + "\n").c_str(), stdout);
  std::fputs(summary_text(report, terminal_of(stdout)).c_str(), stdout);
}

}  // namespace assay
