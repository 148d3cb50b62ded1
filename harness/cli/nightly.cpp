// `assay nightly`: what a team runs every night, in one command that may be killed and goes on.
//
// Each step leaves its results in a folder of its own and may be repeated: rows that are there are not run again, a run
// is in the history once, reports are functions of the rows. So all that has to be remembered is which step is done.
#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/base/write_file.h"
#include "harness/cli/cli.h"
#include "harness/cli/environment.h"
#include "harness/cli/finish.h"
#include "harness/cli/mutate_run.h"
#include "harness/cli/nightly_kernels.h"
#include "harness/cli/nightly_state.h"
#include "harness/cli/options.h"
#include "harness/cli/report_run.h"
#include "harness/compare/show.h"
#include "harness/device/device.h"
#include "harness/history/history.h"
#include "harness/report/summary.h"
#include "harness/search/regressions.h"
#include "harness/search/suite.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The rest is for history and report, which take seconds.
constexpr const char* kPage = "report.html";
constexpr double kSweepShare = 0.5, kCheckedShare = 0.25, kBenchShare = 0.2;

struct Done {
  int exit_code = kExitPass;
  std::string came_to;
};

int64_t now_s() { return static_cast<int64_t>(std::time(nullptr)); }

class Nightly {
 public:
  Nightly(NightlyArguments arguments, std::vector<std::string> command, LoadedKernels own)
      : arguments_(std::move(arguments)),
        command_(std::move(command)),
        here_(describe_environment(command_)),
        own_(std::move(own)) {}

  // Goes on where this run stopped, or begins a new one; what one left that ended is kept as FOLDER-previous.
  Result<void> begin() {
    if (arguments_.seed_given) {
      seed_ = arguments_.seed;
    } else if (here_.git_commit.empty()) {
      return fail("there is no commit here, from which the seed follows", "run it in the repository, or give --seed");
    } else {
      seed_ = std::stoull(here_.git_commit.substr(0, 16), nullptr, 16);
    }
    const std::string identity = fmt::format(
        "commit {} seed {} suite {} bench {} cases {} mutants {} budget {} select {} {} program {}", here_.git_commit,
        seed_, arguments_.suite, arguments_.bench_suite, arguments_.cases, arguments_.mutants, arguments_.budget_s,
        fmt::join(arguments_.select, " "), fmt::join(own_.ids, " "), program_digest());
    arguments_.folder
        ->give_back();  // until here a killed process would have left yesterday's pages as if they were today's
    const auto read = read_nightly(out());
    if (!read && !arguments_.fresh) return tl::unexpected(read.error());
    if (read) state_ = *read;
    std::error_code error;
    // The page of one that has ended is lost when a process is killed that had begun to look whether it has.
    if (state_.ended && !fs::exists(path(kPage), error)) state_.ended = false, state_.step("report").state.clear();
    // One that has ended is not repeated: a process that is killed just before it exits could not tell the two apart.
    if (state_.identity == identity && !arguments_.fresh) {
      say("nightly: {}\n",
          state_.ended ? out() + " has the results of this commit; --fresh runs it again" : "going on in " + out());
      return {};
    }
    // A night that did not end is none to compare the next one with.
    if (state_.ended) {
      fs::remove_all(previous(), error);
      fs::rename(out(), previous(), error);
      if (error) return tl::unexpected(write_error(previous(), error.value()));
    } else if (fs::exists(path(kNightlyFile), error)) {
      fs::remove_all(out(), error);
      if (error) return tl::unexpected(write_error(out(), error.value()));
    }
    state_ = {.identity = identity, .steps = {}, .ended = false};
    fs::create_directories(out(), error);
    if (error) return tl::unexpected(write_error(out(), error.value()));
    return write_nightly(state_, out());
  }

  Result<int> run() {
    for (const auto& [name, share, body] : steps()) {
      NightlyStep& step = state_.step(name);
      if (step.state == "done") continue;
      ASSAY_TRY(begin_step(step));
      say("nightly: {}\n", name);
      std::fflush(stdout);
      const Result<Done> done = body((arguments_.budget_s - prepared_s_) * share - step.spent_s);
      if (interrupted_flag()) {
        say("nightly: interrupted; the same command goes on\n");
        return kExitInconclusive;
      }
      if (!done) return tl::unexpected(done.error());
      step.state = "done";
      step.exit_code = done->exit_code;
      step.came_to = done->came_to;
      ASSAY_TRY(write_nightly(state_, out()));
    }
    state_.ended = true;
    ASSAY_TRY(write_nightly(state_, out()));
    return conclude();
  }

 private:
  struct Step {
    std::string name;
    double share;
    std::function<Result<Done>(double budget_s)> body;
  };

  const std::string& out() const { return arguments_.out; }
  std::string path(const std::string& name) const { return arguments_.out + "/" + name; }
  std::string previous() const { return fs::path(arguments_.out + "/.").parent_path().string() + "-previous"; }

  std::vector<Step> steps() {
    return {
        {"sweep", kSweepShare, [this](double budget_s) { return check("sweep", PlanPart::first, budget_s); }},
        {"checked", kCheckedShare, [this](double budget_s) { return check("checked", PlanPart::checked, budget_s); }},
        {"bench", kBenchShare, [this](double budget_s) { return bench(budget_s); }},
        {"mutants", 0, [this](double) { return mutate(); }},
        {"regressions", 0, [this](double) { return patch(); }},
        {"compare", 0, [this](double) { return compare(); }},
        {"history", 0, [this](double) { return remember(); }},
        {"report", 0, [this](double) { return report(); }}};
  }

  // A process that was killed used up the time until its last row.
  Result<void> begin_step(NightlyStep& step) {
    std::error_code none;
    if (step.state == "running") {
      const auto last = fs::last_write_time(path(step.name + "/results.jsonl"), none);
      const auto at =
          std::chrono::duration_cast<std::chrono::seconds>(std::chrono::file_clock::to_sys(last).time_since_epoch())
              .count();
      if (!none) step.spent_s += static_cast<double>(std::max<int64_t>(0, at - step.begun_at));
    }
    step.state = "running";
    step.begun_at = now_s();
    return write_nightly(state_, out());
  }

  // The order of cases follows from whether there is a budget, so what is left of one is never none.
  double left_of(double budget_s) const { return arguments_.budget_s > 0 ? std::max(budget_s, 0.001) : 0; }

  bool has_run(const std::string& name) const {
    std::error_code none;
    return fs::exists(path(name + "/" + kRunFile), none);
  }

  Result<Done> came_to(const std::string& name, int exit_code) const {
    if (exit_code == kExitUsage)
      return fail("nightly: " + name + " could not run", "with that repaired, the same command goes on");
    const auto run = ASSAY_TRY(read_report(path(name)));
    return Done{exit_code, summarise(run).headline};
  }

  Result<Done> check(const std::string& name, PlanPart part, double budget_s) {
    if (part == PlanPart::checked) {
      if (only_own() && ids_on(own_, kCheckedDevice).empty())
        return Done{kExitPass, "the kernels have no checked build"};
      const auto file = ASSAY_TRY(find_suite(arguments_.suite));
      const auto suite = ASSAY_TRY(read_suite(file));
      if (!suite.has_checked() || arguments_.cases == 0) return Done{kExitPass, "the suite has no such cases"};
    }
    CheckArguments check;
    check.select = arguments_.select;
    check.suite = arguments_.suite;
    check.part = part;
    check.cases = arguments_.cases;
    check.seed = seed_;
    check.jobs = arguments_.jobs;
    check.budget_s = left_of(budget_s);
    check.save_to = path("regressions");
    if (!own_.ids.empty()) check.loaded = own_;
    // A guess is judged by all cases together, so these run in one piece.
    (has_run(name) && own_.guesses.empty() ? check.resume : check.out) = path(name);
    return came_to(name, run_check(check, command_));
  }

  Result<Done> bench(double budget_s) {
    BenchArguments bench;
    bench.select = arguments_.select;
    const auto measured = ASSAY_TRY(ids_measured(own_, arguments_.bench_suite));
    bench.select.insert(bench.select.end(), measured.begin(), measured.end());
    if (bench.select.empty() && only_own()) return Done{kExitPass, "the suite has no line for the kernels"};
    bench.suite = arguments_.bench_suite;
    bench.jobs = arguments_.jobs;
    bench.budget_s = left_of(budget_s);
    (has_run("bench") ? bench.resume : bench.out) = path("bench");
    return came_to("bench", exit_code(run_bench(bench, command_)));
  }

  // A sample that the seed draws, so that every commit has another. Survivors are figures: that of a night before may
  // have been as good.
  Result<Done> mutate() const {
    if (arguments_.mutants == 0) return Done{kExitPass, "none are asked for (--mutants N)"};
    MutateArguments mutate;
    mutate.select = arguments_.select;
    if (mutate.select.empty() && own_.ids.empty()) {  // the default suite of `assay mutate` has another selection
      const auto file = ASSAY_TRY(find_suite(arguments_.suite));
      mutate.select = ASSAY_TRY(read_suite(file)).select;
    }
    mutate.seed = seed_;
    mutate.count = arguments_.mutants;
    mutate.jobs = arguments_.jobs;
    mutate.out = path("mutants");
    if (!own_.ids.empty()) mutate.loaded = own_;
    const int exit_code = ASSAY_TRY(run_mutate(mutate));
    std::vector<MutantResult> results;
    for (auto& [key, result] : read_results(mutate.out)) results.push_back(result);
    return Done{exit_code == kExitFail ? kExitPass : exit_code, score_line(results)};
  }

  bool only_own() const { return !own_.ids.empty() && arguments_.select.empty(); }

  Result<Done> patch() const {
    const auto text =
        ASSAY_TRY(regressions_patch(path("regressions"), [this](const std::string& id) { return saved_in(own_, id); }));
    std::error_code none;
    if (text.empty() && fs::exists(path("regressions"), none))
      return Done{kExitPass, "smallest failing cases: " + path("regressions") + ", of kernels outside of this folder"};
    if (text.empty()) return Done{kExitPass, "nothing new failed"};
    const std::string file = path("regressions.patch");
    ASSAY_TRY(write_file(file, text));
    return Done{kExitPass, fmt::format("smallest failing cases: git apply {}", file)};
  }

  // Compares with the night before, each run with its own kind.
  Result<Done> compare() const {
    Done all{kExitPass, "no earlier night to compare with"};
    std::string markdown;
    for (const char* name : {"sweep", "checked", "bench"}) {
      std::error_code none;
      const std::string before = previous() + "/" + name;
      if (!has_run(name) || !fs::exists(before + "/" + kRunFile, none)) continue;
      const auto base = ASSAY_TRY(comparison::read_measured(before)),
                 now = ASSAY_TRY(comparison::read_measured(path(name)));
      const comparison::Comparison compared = comparison::compare(base, now);
      markdown += comparison::comparison_markdown(compared) + "\n";
      const bool worse = outcome(compared) == comparison::Outcome::regressed;
      if (worse) all.exit_code = kExitFail;
      if (worse || markdown.empty() || all.came_to.starts_with("no earlier"))
        all.came_to = fmt::format("{}: {}", name, comparison::headline(compared));
    }
    if (!markdown.empty()) ASSAY_TRY(write_file(path("compare.md"), markdown));
    return all;
  }

  Result<Done> remember() const {
    const std::string file = history_file();
    const auto history = ASSAY_TRY(history::History::open(file, true));
    for (const char* name : {"sweep", "checked", "bench"}) {
      if (!has_run(name)) continue;
      const auto run = ASSAY_TRY(comparison::read_measured(path(name)));
      ASSAY_TRY(history.add(run));
    }
    return Done{kExitPass, "added to " + file};
  }

  std::string history_file() const { return arguments_.history.empty() ? history::kDefaultPath : arguments_.history; }

  Result<Done> report() const {
    ReportArguments report;
    for (const char* name : {"sweep", "checked", "bench"})
      if (has_run(name)) report.runs.push_back(path(name));
    report.out = out();
    report.history = history_file();
    std::set<std::string> saved = {path("regressions"), "cases/regressions"};
    for (const auto& [id, file] : own_.files) saved.insert(regressions_of(file));
    report.saved = {saved.begin(), saved.end()};
    for (const char* name : {"bench", "sweep", "checked"}) {
      std::error_code none;
      const std::string before = previous() + "/" + name;
      if (has_run(name) && fs::exists(before + "/" + kRunFile, none)) report.compared.push_back({before, path(name)});
    }
    const auto page = ASSAY_TRY(write_reports(report));
    return Done{exit_code(page), path(kPage)};
  }

  // The page has the rows of all steps, so its verdict is that of the night, unless something got worse.
  int conclude() {
    for (const NightlyStep& step : state_.steps)
      say("nightly: {:<11} {}{}\n", step.name,
          step.exit_code == kExitFail           ? "FAILED: "
          : step.exit_code == kExitInconclusive ? "INCONCLUSIVE: "
                                                : "",
          step.came_to);
    return state_.step("compare").exit_code == kExitFail ? kExitFail : state_.step("report").exit_code;
  }

  NightlyArguments arguments_;
  std::vector<std::string> command_;
  RunInfo here_;
  LoadedKernels own_;  // of the user's files
  uint64_t seed_ = 0;
  const double prepared_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - arguments_.begun).count();
  NightlyState state_;
};

Result<int> run_nightly(const NightlyArguments& given, const std::vector<std::string>& command) {
  NightlyArguments arguments = given;
  ASSAY_TRY(take_folder(arguments, command));
  if (arguments.folder->path() != arguments.out)
    return fail(arguments.out + " is in use", "wait for the other run, or choose another --out");
  take_files(arguments.select, arguments.kernels);
  auto own = ASSAY_TRY(arguments.kernels.files.empty() ? LoadedKernels() : load_kernels(arguments.kernels));
  if (own.ids.empty() && !arguments.kernels.files.empty()) {
    say("INCONCLUSIVE: how the kernel meets the op is a guess, and nothing was judged\n");
    return kExitInconclusive;
  }
  Nightly nightly(std::move(arguments), command, std::move(own));
  ASSAY_TRY(nightly.begin());
  return nightly.run();
}

}  // namespace

Command nightly_command() {
  return run_command_of<NightlyArguments>(
      "nightly",
      [](CLI::App& command, NightlyArguments& arguments) {
        command.add_option("select", arguments.select);
        add_kernels(command, arguments.kernels);
        command.add_option("--source", arguments.kernels.files);
        command.add_option("--suite", arguments.suite);
        command.add_option("--bench-suite", arguments.bench_suite);
        command.add_option("--cases", arguments.cases)->check(CLI::Range(int64_t{0}, kCasesMax));
        command.add_option("--mutants", arguments.mutants)->check(CLI::Range(int64_t{0}, kCasesMax));
        command.add_option("--seed", arguments.seed)->check(kSeed)->each([&arguments](const std::string&) {
          arguments.seed_given = true;
        });
        add_budget(command, arguments.budget_s);
        command.add_option("--jobs,-j", arguments.jobs)->check(CLI::Range(1, 1024));
        command.add_option("--out", arguments.out);
        command.add_option("--db", arguments.history);
        command.add_flag("--fresh", arguments.fresh);
      },
      [](const NightlyArguments& arguments, const std::vector<std::string>& words) {
        return run_nightly(arguments, words);
      });
}

}  // namespace assay
