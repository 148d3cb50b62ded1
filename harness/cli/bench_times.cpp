// Times on a GPU: variants that pass a case are measured in it against each other.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "harness/adapter/build/scratch.h"
#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/bench/google_benchmark.h"
#include "harness/bench/measuring_process.h"
#include "harness/bench/processes.h"
#include "harness/cli/bench_run.h"
#include "harness/cli/environment.h"
#include "harness/device/cuda/plan_store.h"
#include "harness/op/registry.h"
#include "harness/report/console.h"
#include "harness/search/scale_down.h"
#include "harness/search/worker_pool.h"

namespace assay {
namespace {

using Seconds = std::chrono::duration<double>;

// Warming up, compiling plans, verifying: time in a measured case besides the sampling.
constexpr double kBesidesSampling = 4;

// The line's row, from checking the smaller case.
ResultRow of_line(ResultRow checked, const Case& line) {
  if (!(checked.c == line)) checked.detail = fmt::format("checked as `{}`: {}", checked.line(), checked.detail);
  checked.c = line;
  return checked;
}

class MeasuredCases {
 public:
  MeasuredCases(BenchRun& run, Roofs roofs)
      : run_(run),
        roofs_(std::move(roofs)),
        gate_({.jobs = kCheckJobs, .case_limit = Seconds(run.arguments().case_limit_s)}) {}

  // The rows of cases, each in the order of its candidates. Nothing when it was interrupted.
  OfContests<ResultRow> rows_of(const std::vector<const BenchCase*>& cases) {
    auto rows = check(cases);
    if (rows.empty()) return {};
    std::vector<Contest> contests;
    for (size_t k = 0; k < cases.size(); ++k) {
      contests.push_back({cases[k]->c, {}});
      for (size_t i = 0; i < rows[k].size(); ++i)
        if (rows[k][i].verdict == Kind::pass) contests[k].candidates.push_back(cases[k]->candidates[i]);
    }
    const MeasureOptions options = measure_options(run_.arguments());
    const MeasuringOptions how{.limit = Seconds(run_.arguments().case_limit_s + kBesidesSampling * options.budget_s),
                               .plan_limit = Seconds(run_.arguments().plan_limit_s),
                               .stop = &interrupted_flag()};
    const auto once = [&](const std::vector<Contest>& asked, const MeasureOptions& own) {
      return measure_in_process(asked, roofs_, own, how);
    };
    auto measured = measure_in_processes(contests, roofs_, options, run_.arguments().processes, once);
    if (measured.empty()) return {};
    for (size_t k = 0; k < rows.size(); ++k) {
      auto next = measured[k].begin();
      for (ResultRow& row : rows[k])
        if (row.verdict == Kind::pass) merge(row, *next++);
    }
    return rows;
  }

  // The same of an earlier run. A case is measured as a whole: if one row is missing, the result is empty.
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
  // Checks every line in full on a smaller case, which takes milliseconds; on itself where there is none that the
  // variant takes. Nothing when it was interrupted.
  OfContests<ResultRow> check(const std::vector<const BenchCase*>& cases) {
    std::vector<Case> lines, smaller;
    for (const BenchCase* one : cases)
      for (const Variant* variant : one->candidates) {
        lines.push_back(case_for(one->c, *variant));
        const auto small =
            scaled_down(*find_op(one->c.op), lines.back(), {run_.arguments().elements_max, run_.arguments().flops_max});
        smaller.push_back(small ? *small : lines.back());
      }
    auto checked = run_all(smaller);
    std::vector<Case> whole;
    std::vector<size_t> of;
    for (size_t i = 0; i < checked.size(); ++i)
      if (checked[i] && checked[i]->verdict == Kind::unsupported && !(smaller[i] == lines[i])) {
        whole.push_back(lines[i]);
        of.push_back(i);
      }
    auto again = run_all(whole);
    for (size_t i = 0; i < of.size(); ++i) checked[of[i]] = std::move(again[i]);
    OfContests<ResultRow> rows(cases.size());
    size_t next = 0;
    for (size_t k = 0; k < cases.size(); ++k)
      for (size_t i = 0; i < cases[k]->candidates.size(); ++i, ++next) {
        if (!checked[next]) return {};
        rows[k].push_back(of_line(*std::move(checked[next]), lines[next]));
      }
    return rows;
  }

  std::vector<std::optional<ResultRow>> run_all(const std::vector<Case>& cases) {
    std::vector<std::optional<ResultRow>> rows(cases.size());
    size_t next = 0;
    gate_.run(
        [&]() -> std::optional<WorkerPool::Numbered> {
          if (next == cases.size()) return std::nullopt;
          const size_t index = next++;
          return WorkerPool::Numbered{index, {cases[index], run_.device()}};
        },
        [&](size_t index, ResultRow row) { rows[index] = std::move(row); }, &interrupted_flag());
    return rows;
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

// A library's plan of a process is for the others of this run too, where there is room for it.
void share_plans() {
  if (!std::getenv(kPlanFolder) && make_scratch_folder())
    setenv(kPlanFolder, (scratch_folder() / "plans").c_str(), /*overwrite=*/0);
}

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
  share_plans();
  const MeasuringOptions how{.limit = Seconds(run.arguments().case_limit_s), .stop = &interrupted_flag()};
  const auto roofs = measure_roofs_in_process(measure_options(run.arguments()), how);
  if (!roofs) run.say(roofs.error().line());
  if (roofs) {
    report.info.roofs = roofs->roofs;
    for (const Error& missing : roofs->missing) run.say(missing.line());
  }
  MeasuredCases cases(run, report.info.roofs);
  const auto take = [&](std::vector<ResultRow>& rows) {
    for (ResultRow& row : rows) report.rows.push_back(std::move(row));
  };
  std::vector<const BenchCase*> together;
  size_t at_once = 1;  // more and more, so that a short budget has rows, too
  const auto measure_together = [&] {
    if (together.empty() || run.over()) return;
    for (auto& rows : cases.rows_of(together)) {
      for (const ResultRow& row : rows) run.done(row);
      take(rows);
    }
    together.clear();
    at_once = std::min(2 * at_once, kCasesOfAProcess);
  };
  for (const BenchCase& one : plan.cases) {
    auto rows = cases.earlier_rows(one);
    if (rows.empty()) together.push_back(&one);
    for (const ResultRow& row : rows) run.kept(row);
    take(rows);
    if (together.size() >= at_once) measure_together();
    if (run.over()) break;
  }
  measure_together();
  run.end();
  publish(report.rows, {{"gpu", report.info.gpu ? report.info.gpu->name : "unknown"}});
  std::fputs((origins(plan) + "\n").c_str(), stdout);
}

}  // namespace assay
