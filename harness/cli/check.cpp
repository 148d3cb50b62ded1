// `assay check`: plan, campaign, audit, report.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>

#include "harness/adapter/user_kernels.h"
#include "harness/base/check.h"
#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/cli/cli.h"
#include "harness/cli/environment.h"
#include "harness/cli/finish.h"
#include "harness/cli/guessed.h"
#include "harness/cli/options.h"
#include "harness/cli/progress.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/device/device.h"
#include "harness/op/registry.h"
#include "harness/report/audit.h"
#include "harness/report/console.h"
#include "harness/report/github.h"
#include "harness/report/statistics_text.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"
#include "harness/search/campaign.h"
#include "harness/search/regressions.h"
#include "harness/simt/runtime/build_kind.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Failures are printed as they come, but a broken kernel fails in most of its cases: a few of each kind are enough
// here, the report has them all.
constexpr int kToldMax = 3;

class Console : public CampaignObserver {
 public:
  Console(const Plan& plan, RunFolder& folder, const std::string& regressions, bool save)
      : plan_(plan),
        terminal_(terminal_of(stderr)),
        progress_(plan.size(), isatty(STDERR_FILENO) != 0, terminal_.columns),
        folder_(folder),
        regressions_(regressions),
        save_(save) {}

  // The time left follows within seconds, as soon as some cases are done.
  void begin(const RunInfo& info) {
    progress_.say(fmt::format("{} cases on {}, {} at once; Ctrl-C keeps what was found", info.cases_planned,
                              info.device, info.jobs));
  }
  void case_done(const ResultRow& row) override {
    progress_.expect(plan_.size());
    progress_.advance(is_failure(row.verdict));
    if (!is_failure(row.verdict)) return;
    const int told = ++told_[row.id() + std::string(name(row.verdict))];
    if (told <= kToldMax) progress_.say(fmt::format("{}  {}", terminal_.verdict(row.verdict), printable(row.line())));
    if (told == kToldMax + 1)
      progress_.say(fmt::format("{}  more of {}/{}: see the report", name(row.verdict), row.c.op, row.c.variant));
  }
  void row_ready(const ResultRow& row) override {
    if (!write_error) {
      if (auto written = folder_.append(row); !written) write_error = written.error();
    }
  }
  void shrinking(const ResultRow& failing) override {
    progress_.say(fmt::format("shrinking {}  {}", name(failing.verdict), failing.line()));
  }
  void shrunk(const ResultRow& failing, const ResultRow& smallest) override {
    const bool simpler = smallest.line() != failing.line();
    progress_.say(fmt::format("{} {}", simpler ? "  smallest:" : "  nothing smaller fails so:", smallest.line()));
    if (!save_) return;
    const auto path = save_regression(smallest, regressions_);
    progress_.say("  " + (path ? "saved as " + *path : "not saved: " + path.error().line()));
  }
  void not_shrunk(const std::string& id, size_t defects) override {
    progress_.say(fmt::format("{} more {} of {} not shrunk: repair the first and check again", defects,
                              defects == 1 ? "defect is" : "defects are", id));
  }

  std::optional<Error> write_error;  // the first failure to stream a row

 private:
  const Plan& plan_;
  Terminal terminal_;
  Progress progress_;
  RunFolder& folder_;
  std::string regressions_;
  bool save_;
  std::map<std::string, int> told_;
};

std::string_view status_of(CampaignEnd end) {
  switch (end) {
    case CampaignEnd::complete:
      return "complete";
    case CampaignEnd::interrupted:
      return "interrupted";
    case CampaignEnd::out_of_time:
      return "out of time";
  }
  ASSAY_CHECK(false, "unknown end of a campaign");
}

// As many workers as the limit on open files allows: three for each, and some for reports and libraries.
int jobs_max() {
  constexpr rlim_t kEach = 3, kOthers = 32, kMost = 1024;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  return static_cast<int>((std::clamp(files.rlim_cur, kEach + kOthers, kEach * kMost + kOthers) - kOthers) / kEach);
}

// Cases on a device that this machine lacks are SKIPPED.
void tell_missing_devices(const Plan& plan) {
  for (const std::string& name : plan.devices())
    if (const auto missing = find_device(name)->missing())
      std::fprintf(stderr, "assay: device %s is not here, its cases are skipped: %s\n", name.c_str(),
                   missing->line().c_str());
}

CampaignOptions campaign_options(const CheckArguments& arguments, const Suite& suite) {
  CampaignOptions options;
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.pool.jobs = arguments.jobs > 0 ? arguments.jobs : std::min(cores, jobs_max());
  options.pool.case_limit = std::chrono::duration<double>(arguments.case_limit_s > 0 ? arguments.case_limit_s
                                                                                     : suite.case_limit_s * kSlowdown);
  if (arguments.budget_s > 0) options.budget = std::chrono::duration<double>(arguments.budget_s);
  options.shrink_budget = std::chrono::duration<double>(arguments.shrink_s);
  options.stop = &interrupted_flag();
  return options;
}

// GitHub's runner takes commands from any line of the output, so a run for it shows details of failures, in which a
// kernel may have written anything, in annotations only.
std::string outcome_text(const Report& report, bool github) {
  if (!github) return summary_text(report, terminal_of(stdout));
  const Summary summary = summarise(report);
  return fmt::format("{}{}: {}\n", github_annotations(report), name(summary.outcome), summary.headline);
}

// One case after the other, in a worker.
RunTask in_worker(const CampaignOptions& options) {
  return [pool = std::make_shared<WorkerPool>(PoolOptions{}), limit = options.pool.case_limit](const Task& task) {
    return pool->run_one(task, limit, &interrupted_flag());
  };
}

}  // namespace

int run_check(const CheckArguments& given, const std::vector<std::string>& command) {
  CheckArguments arguments = given;
  for (const std::string& word : given.select)
    if (names_kernel_file(word)) arguments.kernels.files.push_back(word);
  std::erase_if(arguments.select, names_kernel_file);
  const bool own_kernels = !arguments.kernels.files.empty();
  Guesses guesses;
  if (own_kernels) {
    auto loaded = load_kernels(arguments.kernels);
    if (!loaded) return usage_error(loaded.error());
    if (loaded->ids.empty()) {
      say("INCONCLUSIVE: how the kernel meets the op is a guess, and nothing was judged\n");
      return kExitInconclusive;
    }
    arguments.select.insert(arguments.select.end(), loaded->ids.begin(), loaded->ids.end());
    guesses = std::move(loaded->guesses);
    if (!guesses.empty()) arguments.shrink_s = 0;
    const fs::path file = fs::absolute(arguments.kernels.files[0]);
    if (arguments.regressions.empty())
      arguments.regressions = (file.parent_path() / "assay_regressions" / file.filename()).string();
  }
  if (arguments.suite.empty()) arguments.suite = own_kernels ? "kernel" : "ci";
  if (!arguments.device.empty())
    if (const auto code = refuse_device(arguments.device)) return *code;
  const auto suite_path = find_suite(arguments.suite);
  if (!suite_path) return usage_error(suite_path.error());
  const auto suite = read_suite(*suite_path);
  if (!suite) return usage_error(suite.error());
  const std::string regressions = arguments.regressions.empty()
                                      ? (fs::path(suite->path).parent_path() / "regressions").string()
                                      : arguments.regressions;
  PlanOptions plan_options{.select = arguments.select,
                           .device = arguments.device,
                           .default_device = gpu_is_here() ? kGpuDevice : "cpu",
                           .cases = {},
                           .seed = arguments.seed,
                           .regressions = regressions,
                           .extras = {.statistics = arguments.stats, .watching = arguments.watching},
                           .by_turns = arguments.budget_s > 0};
  if (arguments.cases >= 0) plan_options.cases = arguments.cases;
  auto plan = make_plan(*suite, plan_options);
  if (!plan) return usage_error(plan.error());
  if (arguments.jobs > jobs_max() && plan->size() > jobs_max())
    return usage_error({fmt::format("-j {} needs more open files than are allowed", arguments.jobs),
                        fmt::format("use -j {} at most, or raise the limit (ulimit -n)", jobs_max())});
  tell_missing_devices(*plan);

  Report report;
  report.info = describe_environment(command);
  report.info.suite = suite->name;
  report.info.seed = arguments.seed;
  report.info.device = fmt::format("{}", fmt::join(plan->devices(), ", "));
  if (report.info.device.find(kGpuDevice) != std::string::npos) describe_gpu(report.info);
  report.info.cases_planned = plan->size();
  const CampaignOptions options = campaign_options(arguments, *suite);
  report.info.jobs = options.pool.jobs;
  auto folder = open_run_folder(arguments.out, report.info);
  if (!folder) return usage_error(folder.error());
  const auto start = std::chrono::steady_clock::now();
  std::optional<Error> stream_error;
  {
    Console console(*plan, *folder, regressions, arguments.save);
    console.begin(report.info);
    CampaignResult result = run_campaign(*plan, options, console);
    report.info.status = status_of(result.end);
    report.info.cases_planned = plan->size();
    report.rows = std::move(result.rows);
    withhold_guessed(report.rows, guesses, in_worker(options));
    stream_error = console.write_error;
  }
  for (ResultRow& row : mistrusted_rows(report.rows)) report.rows.push_back(std::move(row));
  report.info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  if (arguments.stats) std::fputs((kernel_table(report.rows) + "\n").c_str(), stdout);
  if (arguments.watching.hints) std::fputs(hints_text(report.rows).c_str(), stdout);
  std::fputs(outcome_text(report, arguments.github).c_str(), stdout);
  return finish_run(report, folder->path(), stream_error.has_value());
}

Command check_command() {
  return command_of<CheckArguments>(
      "check",
      [](CLI::App& command, CheckArguments& arguments) {
        command.add_option("select", arguments.select);
        add_kernels(command, arguments.kernels);
        command.add_option("--source", arguments.kernels.files);
        command.add_option("--suite", arguments.suite);
        add_device(command, arguments.device, arguments.gpu);
        add_checked_flags(command, arguments);
        command.add_option("--cases", arguments.cases)->check(CLI::Range(int64_t{0}, kCasesMax));
        command.add_option("--seed", arguments.seed)->check(kSeed);
        add_time(command, "--budget", arguments.budget_s)->check(kAboveZero);
        add_time(command, "--shrink", arguments.shrink_s)->check(kNotNegative);
        add_time(command, "--case-limit", arguments.case_limit_s)->check(kAboveZero);
        command.add_option("--jobs,-j", arguments.jobs)->check(CLI::Range(1, 1024));
        command.add_option("--out", arguments.out);
        command.add_option("--regressions", arguments.regressions);
        command.add_flag("--save,!--no-save", arguments.save);
        add_format(command, arguments.github);
      },
      [](const CheckArguments& arguments, const std::vector<std::string>& words) {
        return run_check(arguments, words);
      });
}

}  // namespace assay
