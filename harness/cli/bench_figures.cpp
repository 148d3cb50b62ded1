// Figures of a kernel's speed that need no GPU: its memory accesses, counted in the executor, and its resources from
// ptxas. They are the same in every run, and none is a time.
#include <fmt/format.h>

#include <cstdio>

#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/bench/measure.h"
#include "harness/cli/bench_run.h"
#include "harness/cli/campaign_console.h"
#include "harness/device/cuda/resources.h"
#include "harness/report/instructions_text.h"
#include "harness/report/statistics_text.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"
#include "harness/search/worker_pool.h"

namespace assay {
namespace {

std::vector<Task> tasks_of(const BenchPlan& plan, const std::string& device) {
  std::vector<Task> tasks;
  for (const BenchCase& one : plan.cases)
    for (const Variant* variant : one.candidates)
      tasks.push_back({case_for(one.c, *variant), device, {.statistics = true}});
  return tasks;
}

void add_resources(const std::vector<KernelResources>& all, ResultRow& row) {
  if (!row.statistics) return;
  for (const KernelCounts& kernel : row.statistics->kernels)
    if (const KernelResources* found = find_resources(all, row.c.op, row.c.variant, kernel.kernel))
      row.resources.push_back(*found);
}

using Rows = std::vector<std::optional<ResultRow>>;  // one for each task; nothing: it was not run

Rows run_all(const std::vector<Task>& tasks, const std::vector<KernelResources>& resources, BenchRun& run) {
  WorkerPool pool({.jobs = jobs_or_cores(run.arguments().jobs),
                   .case_limit = std::chrono::duration<double>(run.arguments().case_limit_s)});
  Rows rows(tasks.size());
  size_t next = 0;
  pool.run(
      [&]() -> std::optional<WorkerPool::Numbered> {
        for (; next < tasks.size(); ++next) {
          const ResultRow* earlier = run.earlier(tasks[next].c);
          if (!earlier) break;
          run.kept(*earlier);
          rows[next] = *earlier;
        }
        if (next == tasks.size() || run.over()) return std::nullopt;
        const size_t index = next++;
        return WorkerPool::Numbered{index, tasks[index]};
      },
      [&](size_t index, ResultRow row) {
        add_resources(resources, row);
        run.done(row);
        rows[index] = std::move(row);
      },
      &interrupted_flag());
  return rows;
}

std::string row_text(const ResultRow& row, const GpuModel& gpu) {
  const std::string line = printable(row.line()) + "\n";
  if (row.verdict != Kind::pass) {
    const std::string why = fmt::format("  {}: {}\n", name(row.verdict), printable(first_line(row.detail)));
    return line + why + (is_failure(row.verdict) ? fmt::format("  replay: {}\n", replay_command(row)) : "");
  }
  if (!row.statistics || row.statistics->kernels.empty()) return line + "  no kernel was launched\n";
  return line + kernel_rows(row, gpu);
}

std::string origin_text(const BenchCase& one) {
  std::string text;
  for (const BenchLine& line : one.stands_for) {
    Case whole = line.c;
    whole.variant = one.c.variant;
    text += fmt::format("  {}{}\n", whole == one.c ? "" : "for ", whole == one.c ? "" : print(line.c));
    text += fmt::format("  {}{}\n", whole == one.c ? "" : "  ", printable(line.from));
  }
  return text;
}

std::string tables(const BenchPlan& plan, const Rows& rows, const GpuModel& gpu) {
  std::string text;
  size_t next = 0;
  for (const BenchCase& one : plan.cases) {
    text += "\n" + print(one.c) + "\n" + origin_text(one) + kernel_heading();
    for (size_t i = 0; i < one.candidates.size(); ++i, ++next)
      if (rows[next]) text += row_text(*rows[next], gpu);
  }
  return text;
}

}  // namespace

void bench_figures(const BenchPlan& plan, BenchRun& run, Report& report) {
  const GpuModel& gpu = gpu_model(run.arguments().bound_on);
  const auto resources = read_kernel_resources();
  const Rows rows = run_all(tasks_of(plan, run.device()), resources.value_or(std::vector<KernelResources>{}), run);
  run.end();
  say("figures that need no GPU: memory accesses, counted in the executor, and what ptxas says\n");
  if (!resources) say("  without what ptxas says: {}\n", resources.error().line());
  for (const ResultRow& row : plan.skipped) say("\n{}", row_text(row, gpu));
  std::fputs(tables(plan, rows, gpu).c_str(), stdout);
  std::string uncounted;
  for (const auto& row : rows)
    if (row && row->statistics && uncounted.empty()) uncounted = uncounted_text(*row->statistics);
  if (!uncounted.empty()) say("\n{}", uncounted);
  for (const auto& row : rows)
    if (row) report.rows.push_back(*row);
}

}  // namespace assay
