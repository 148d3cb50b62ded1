// `assay bench`: times on a GPU, or without one the figures that need none.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/bench/estimates.h"
#include "harness/bench/google_benchmark.h"
#include "harness/cli/bench_run.h"
#include "harness/cli/environment.h"
#include "harness/cli/finish.h"
#include "harness/cli/options.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/report/console.h"
#include "harness/report/summary.h"
#include "harness/search/suite.h"

namespace assay {
namespace {

Result<Suite> suite_of(const BenchArguments& arguments) { return read_suite(ASSAY_TRY(find_suite(arguments.suite))); }

// The executor's times mean nothing for a GPU: the only devices are a GPU, and the build that counts accesses.
std::optional<Error> unfit_device(const std::string& device) {
  if (device.empty() || device == kGpuDevice || device == kCheckedDevice) return std::nullopt;
  return Error{fmt::format("'{}' is no device to measure on", device),
               fmt::format("use {}, or {} for what can be said without one", kGpuDevice, kCheckedDevice)};
}

// Whether a row's case was interrupted between its processes: it is measured again.
bool lacks_processes(const ResultRow& row, int processes) {
  return row.timing && row.timing->end != "throttled" &&
         bench::processes_of(row.timing->samples) < static_cast<size_t>(processes);
}

int64_t rows_of(const BenchPlan& plan) {
  auto rows = static_cast<int64_t>(plan.skipped.size());
  for (const BenchCase& one : plan.cases) rows += static_cast<int64_t>(one.candidates.size());
  return rows;
}

// Google Benchmark parses its own flags: they are taken out of what CLI11 sees.
std::vector<std::string> take_google_benchmark_flags(std::vector<std::string>& words) {
  const auto is_theirs = [](const std::string& word) { return word.starts_with("--benchmark_"); };
  const auto first = std::stable_partition(words.begin(), words.end(), std::not_fn(is_theirs));
  std::vector<std::string> flags(first, words.end());
  words.erase(first, words.end());
  return flags;
}

void add_bench_options(CLI::App& command, BenchArguments& arguments) {
  command.add_option("select", arguments.select);
  command.add_option("--suite", arguments.suite);
  add_device(command, arguments.device, arguments.gpu);
  command.add_option("--seed", arguments.seed)->check(kSeed);
  add_budget(command, arguments.budget_s);
  add_time(command, "--case-budget", arguments.case_budget_s)->check(kAboveZero);
  command.add_option("--processes", arguments.processes)->check(CLI::Range(1, static_cast<int>(bench::kProcessesMax)));
  command.add_option("--noise", arguments.noise)->check(CLI::Range(1e-6, 1.0));
  command.add_flag("!--warm", arguments.cold);
  add_time(command, "--case-limit", arguments.case_limit_s)->check(kAboveZero);
  add_bound_on(command, arguments.bound_on);
  add_time(command, "--plan-limit", arguments.plan_limit_s)->check(kAboveZero);
  command.add_option("--elements-max", arguments.elements_max)->check(kAboveZero);
  command.add_option("--flops-max", arguments.flops_max)->check(kAboveZero);
  command.add_option("--jobs,-j", arguments.jobs)->check(CLI::Range(1, 1024));
  command.add_flag("--dry-run", arguments.dry_run);
  CLI::Option* out = command.add_option("--out", arguments.out);
  command.add_option("--resume", arguments.resume)->excludes(out);
}

}  // namespace

BenchRun::BenchRun(const BenchArguments& arguments, std::string device, RunFolder& folder,
                   std::vector<ResultRow> earlier, int64_t rows_planned)
    : arguments_(arguments),
      device_(std::move(device)),
      folder_(folder),
      progress_(rows_planned, isatty(STDERR_FILENO) != 0) {
  for (ResultRow& row : earlier) earlier_[row.line()] = std::move(row);
}

const ResultRow* BenchRun::earlier(const Case& c) const {
  const auto found = earlier_.find(print(c));
  return found == earlier_.end() ? nullptr : &found->second;
}

void BenchRun::kept(const ResultRow& row) {
  progress_.advance(is_failure(row.verdict));
  if (is_failure(row.verdict)) progress_.say(fmt::format("{}  {}", name(row.verdict), row.line()));
}

void BenchRun::done(const ResultRow& row) {
  write(row);
  kept(row);
}

bool BenchRun::over() {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - arguments_.begun;
  out_of_time_ = out_of_time_ || (arguments_.budget_s > 0 && spent.count() >= arguments_.budget_s);
  return out_of_time_ || interrupted();
}

bool BenchRun::interrupted() const { return interrupted_flag().load(); }

std::string BenchRun::status() const {
  return interrupted() ? "interrupted" : out_of_time_ ? "out of time" : "complete";
}

void BenchRun::write(const ResultRow& row) {
  if (write_error_) return;
  if (const auto written = folder_.append(row); !written) write_error_ = written.error();
}

Result<int> run_bench(const BenchArguments& given, const std::vector<std::string>& command) {
  BenchArguments arguments = given;
  ASSAY_TRY(take_folder(arguments, command));
  if (auto error = unfit_device(arguments.device)) return tl::unexpected(*std::move(error));
  const auto suite = ASSAY_TRY(suite_of(arguments));
  if (arguments.dry_run) return show_bench_plan(arguments, suite);
  const bool counted = arguments.device == kCheckedDevice;
  const auto no_gpu = counted ? std::nullopt : why_no_gpu();
  const bool timed = !counted && !no_gpu;
  const std::string device = timed ? kGpuDevice : kCheckedDevice;
  auto plan = ASSAY_TRY(plan_bench(suite, arguments.select, device));
  if (!timed) plan = scaled_down(std::move(plan), {arguments.elements_max, arguments.flops_max}, device);

  std::vector<ResultRow> earlier;
  std::string started;
  if (!arguments.resume.empty()) {
    auto before = ASSAY_TRY(read_report(arguments.resume));
    earlier = std::move(before.rows);
    started = before.info.started;
  }
  Report report;
  report.info = describe_environment(command);
  report.info.suite = suite.name;
  report.info.seed = arguments.seed;
  report.info.device = device;
  if (!started.empty()) report.info.started = started;
  report.info.cases_planned = rows_of(plan);
  std::erase_if(
      earlier, [&](const ResultRow& row) { return row.device != device || lacks_processes(row, arguments.processes); });
  if (!arguments.folder)
    arguments.folder =
        std::make_shared<RunFolder>(ASSAY_TRY(RunFolder::resume(arguments.resume, report.info, earlier)));
  const std::string out = arguments.folder->path();
  if (timed) ASSAY_TRY(set_google_benchmark_flags(arguments.google_benchmark, out + "/benchmark.json"));
  if (arguments.resume.empty()) ASSAY_TRY(arguments.folder->begin(report.info));

  if (no_gpu) say("no times: {}\n", no_gpu->what);
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  BenchRun run(arguments, device, *arguments.folder, std::move(earlier), report.info.cases_planned);
  for (const ResultRow& row : plan.skipped) {
    run.earlier(row.c) ? run.kept(row) : run.done(row);
    report.rows.push_back(row);
  }
  (timed ? bench_times : bench_figures)(plan, run, report);
  report.info.status = run.status();
  report.info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return finish_run(std::move(report), out, [&](const Report& written) {
    if (timed) return summary_text(written, terminal_of(stdout));
    const Summary summary = summarise(written);
    return fmt::format("\n{}: {}\n", name(summary.outcome), summary.headline);
  });
}

Command bench_command() {
  const auto arguments = std::make_shared<BenchArguments>();
  return {
      .name = "bench",
      .add_options = [=](CLI::App& command) { add_bench_options(command, *arguments); },
      .run = [=](const std::vector<std::string>& words) { return run_bench(*arguments, words); },
      .take =
          [=](std::vector<std::string>& words) { arguments->google_benchmark = take_google_benchmark_flags(words); },
      .take_folder = [=](const std::vector<std::string>& words) { return take_folder(*arguments, words); }};
}

}  // namespace assay
