// `assay check`: plan, campaign, audit, report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "harness/adapter/try/known_binding.h"
#include "harness/adapter/user_ops.h"
#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/cli/aim_at_uncovered.h"
#include "harness/cli/campaign_console.h"
#include "harness/cli/cli.h"
#include "harness/cli/environment.h"
#include "harness/cli/finish.h"
#include "harness/cli/guessed.h"
#include "harness/cli/options.h"
#include "harness/cli/prepare_check.h"
#include "harness/cli/replay_launch.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/device/device.h"
#include "harness/op/registry.h"
#include "harness/report/audit.h"
#include "harness/report/console.h"
#include "harness/report/coverage_text.h"
#include "harness/report/github.h"
#include "harness/report/statistics_text.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"
#include "harness/search/campaign.h"
#include "harness/simt/runtime/build_kind.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

// Cases on a device that this machine lacks are SKIPPED.
void tell_missing_devices(const Plan& plan) {
  for (const std::string& name : plan.devices())
    if (const auto missing = find_device(name)->missing())
      std::fprintf(stderr, "assay: device %s is not here, its cases are skipped: %s\n", name.c_str(),
                   missing->line().c_str());
}

CampaignOptions campaign_options(const CheckArguments& arguments, const Suite& suite, const Shard& shard) {
  CampaignOptions options;
  options.pool.jobs = jobs_or_cores(arguments.jobs);
  options.pool.case_limit = std::chrono::duration<double>(arguments.case_limit_s > 0 ? arguments.case_limit_s
                                                                                     : suite.case_limit_s * kSlowdown);
  if (arguments.case_limit_s <= 0)
    for (const auto& [op, limit_s] : suite.case_limit_s_of)
      options.case_limits[op] = std::chrono::duration<double>(limit_s * kSlowdown);
  if (arguments.budget_s > 0)
    options.budget =
        std::chrono::duration<double>(arguments.budget_s) - (std::chrono::steady_clock::now() - arguments.begun);
  const double shrink_default = shard.is_whole() ? kShrinkDefault : 0;
  options.shrink_budget = std::chrono::duration<double>(arguments.shrink_s < 0 ? shrink_default : arguments.shrink_s);
  options.stop = &interrupted_flag();
  return options;
}

// Adds the data for which the user's ops are not meant.
void add_scope_of_ops(const std::vector<ResultRow>& rows, std::vector<std::string>& scope) {
  std::set<std::string> ops;
  for (const ResultRow& row : rows) ops.insert(row.c.op);
  for (const std::string& name : ops) {
    const Contract& op = *find_op(name);
    std::vector<std::string> fills_left_out;
    for (const Fill& fill : fills())
      if (!admits(op, fill)) fills_left_out.push_back(fill.name);
    if (!fills_left_out.empty() && !folder_of_op(name).empty())
      scope.push_back(fmt::format("{}: Not meant for fill {} (its contract).", name, fmt::join(fills_left_out, ", ")));
  }
}

// Tables that were asked for, and the outcome.
//
// GitHub's runner takes commands from any line of the output, so a run for it shows details of failures, in which a
// kernel may have written anything, in annotations only.
std::string shown_text(const Report& report, const CheckArguments& arguments) {
  std::string text;
  if (arguments.stats) text += kernel_table(report.rows, gpu_model(arguments.bound_on)) + "\n";
  if (arguments.watching.hints) text += hints_text(report.rows);
  if (report.info.coverage) text += coverage_text(*report.info.coverage) + "\n";
  if (arguments.brief) return text + brief_summary_text(report, terminal_of(stdout));
  if (!arguments.github) return text + summary_text(report, terminal_of(stdout));
  const Summary summary = summarise(report);
  return text + fmt::format("{}{}: {}\n", github_annotations(report), name(summary.outcome), summary.headline);
}

// One case after the other, in a worker.
RunTask in_worker(const CampaignOptions& options) {
  return [pool = std::make_shared<WorkerPool>(PoolOptions{}), limit = options.pool.case_limit](const Task& task) {
    return pool->run_one(task, limit, &interrupted_flag());
  };
}

RunInfo describe_check(const CheckArguments& arguments, const PreparedCheck& check,
                       const std::vector<std::string>& command) {
  RunInfo info = describe_environment(command);
  info.suite = check.suite.name;
  info.seed = arguments.seed;
  info.device = fmt::format("{}", fmt::join(check.plan.devices(), ", "));
  if (info.device.find(kGpuDevice) != std::string::npos) describe_gpu(info);
  info.cases_planned = check.plan.size();
  info.plan = check.plan.digest();
  info.program = program_digest();
  if (!check.shard.is_whole()) info.shard = print(check.shard);
  info.scope = check.own.scope;
  return info;
}

// Begins in the folder that is taken, or takes that of the run which goes on: its rows are not run again.
Result<void> begin_run(CheckArguments& arguments, RunInfo& info, CampaignOptions& options) {
  if (arguments.folder) return arguments.folder->begin(info);
  auto resumed = resume_run(arguments.resume, info, options.earlier);
  if (!resumed) return tl::unexpected(resumed.error());
  arguments.folder = std::make_shared<RunFolder>(*std::move(resumed));
  return {};
}

// Where the counters cannot be read, the report is without, and standard error says why.
void add_coverage(RunInfo& info) {
  if (auto coverage = coverage_of_runs())
    info.coverage = *std::move(coverage);
  else
    usage_error(coverage.error());
}

// Runs the plan; the report gets its rows, how it ended, and what it leaves out.
void run_plan(PreparedCheck& check, const CheckArguments& arguments, const CampaignOptions& options, Report& report) {
  const auto cases = [&] { return check.plan.size() + (report.info.coverage ? report.info.coverage->aimed : 0); };
  CampaignConsole console(cases, *arguments.folder, arguments.save ? check.saved.save : nullptr);
  std::set<int64_t> kept;
  for (const auto& [place, row] : options.earlier) kept.insert(place);
  console.keep(std::move(kept));
  if (arguments.brief) console.be_brief();
  console.distrust(check.own.guesses);
  console.begin(report.info);
  const auto begun = std::chrono::steady_clock::now();
  CampaignResult result = run_campaign(check.plan, options, console);
  report.info.status = status_of(result.end);
  report.info.cases_planned = check.plan.size();
  report.rows = std::move(result.rows);
  if (arguments.coverage) add_coverage(report.info);
  if (report.info.coverage && result.end == CampaignEnd::complete) {
    CampaignOptions left = options;
    if (left.budget) *left.budget -= std::chrono::steady_clock::now() - begun;
    if (!aim_at_uncovered(check.own.ids, arguments.aimed, left, console, report))
      report.info.status = status_of(CampaignEnd::interrupted);
  }
  add_scope_of_ops(report.rows, report.info.scope);
  withhold_guessed(report.rows, check.own.guesses, in_worker(options));
  withhold_unmade(report.rows, check.own.unmade);
  if (check.shard.is_whole()) withhold_blind(report.rows, check.own.ids);
  withhold_unseen(report.rows, check.own.seen);
}

// A kernel that passed all its cases is known to meet its op as it was bound.
void keep_passed(const LoadedKernels& own, const std::vector<ResultRow>& rows) {
  std::map<std::string, bool> passed;
  for (const ResultRow& row : rows) {
    if (row.verdict == Kind::pass) passed.try_emplace(row.id(), true);
    if (is_failure(row.verdict)) passed[row.id()] = false;
  }
  for (const std::string& id : own.ids)
    if (passed.contains(id) && passed[id]) keep_binding(id);
}

}  // namespace

int run_check(const CheckArguments& given, const std::vector<std::string>& command) {
  CheckArguments arguments = given;
  for (const std::string& word : arguments.select)
    if (names_launch(word)) return usage_error({word + " is a launch of a program", "`assay replay` runs it again"});
  if (auto taken = take_folder(arguments, command); !taken) return usage_error(taken.error());
  auto own = take_own_kernels(arguments);
  if (!own) return usage_error(own.error());
  if (has_own_kernels(arguments) && own->ids.empty()) {
    say("INCONCLUSIVE: how the kernel meets the op is a guess, and nothing was judged\n");
    return kExitInconclusive;
  }
  if (!arguments.device.empty())
    if (const auto code = refuse_device(arguments.device)) return *code;
  auto check = prepare_check(arguments, *std::move(own));
  if (!check) return usage_error(check.error());
  tell_missing_devices(check->plan);

  Report report{.info = describe_check(arguments, *check, command), .rows = {}};
  CampaignOptions options = campaign_options(arguments, check->suite, check->shard);
  report.info.jobs = options.pool.jobs;
  if (auto begun = begin_run(arguments, report.info, options); !begun) return usage_error(begun.error());
  const auto start = std::chrono::steady_clock::now();
  run_plan(*check, arguments, options, report);
  // A shard has too few cases of an op to be judged by, and more would be blind by chance: merging them audits.
  if (check->shard.is_whole())
    for (ResultRow& row : mistrusted_rows(report.rows)) report.rows.push_back(std::move(row));
  report.info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (check->shard.is_whole() && report.info.status == "complete") keep_passed(check->own, report.rows);
  return finish_run(std::move(report), arguments.folder->path(),
                    [&](const Report& written) { return shown_text(written, arguments); });
}

namespace {

// Counters are in the executor's fast build, and this process's.
void add_coverage_flag(CLI::App& command, CheckArguments& arguments) {
  CLI::Option* flag = command.add_flag_callback("--coverage", [&arguments] {
    arguments.coverage = true;
    arguments.device = "cpu";
  });
  command.add_option("--aimed", arguments.aimed)->check(CLI::Range(int64_t{0}, kCasesMax))->needs(flag);
  for (const char* other : {"--device", "--gpu", "--checked", "--stats", "--hints", "--strict-barriers"})
    flag->excludes(command.get_option(other));
}

}  // namespace

Command check_command() {
  return run_command_of<CheckArguments>(
      "check",
      [](CLI::App& command, CheckArguments& arguments) {
        command.add_option("select", arguments.select);
        add_kernels(command, arguments.kernels);
        command.add_option("--source", arguments.kernels.files);
        command.add_option("--suite", arguments.suite);
        add_device(command, arguments.device, arguments.gpu);
        add_checked_flags(command, arguments);
        add_coverage_flag(command, arguments);
        command.add_flag_callback("--huge", [&] { arguments.huge = HugeCases::added; });
        command.add_option("--cases", arguments.cases)->check(CLI::Range(int64_t{0}, kCasesMax));
        command.add_option("--seed", arguments.seed)->check(kSeed);
        add_budget(command, arguments.budget_s);
        add_time(command, "--shrink", arguments.shrink_s)->check(kNotNegative);
        add_time(command, "--case-limit", arguments.case_limit_s)->check(kAboveZero);
        command.add_option("--jobs,-j", arguments.jobs)->check(CLI::Range(1, 1024));
        CLI::Option* out = command.add_option("--out", arguments.out);
        command.add_option("--resume", arguments.resume)->excludes(out);
        command.add_option("--regressions", arguments.regressions);
        command.add_option("--save-to", arguments.save_to);
        command.add_option("--shard", arguments.shard);
        command.add_flag("--save,!--no-save", arguments.save);
        add_format(command, arguments.github);
        command.add_flag("--brief", arguments.brief)->excludes(command.get_option("--format"));
      },
      [](const CheckArguments& arguments, const std::vector<std::string>& words) {
        return run_check(arguments, words);
      });
}

}  // namespace assay
