// `assay mutate`: bugs planted in kernels, one at a time, and whether the suite tells them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>

#include "harness/adapter/build/parallel.h"
#include "harness/adapter/build/scratch.h"
#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/base/terminal.h"
#include "harness/base/write_file.h"
#include "harness/cli/campaign_console.h"
#include "harness/cli/cli.h"
#include "harness/cli/mutate_run.h"
#include "harness/cli/options.h"
#include "harness/cli/prepare_check.h"
#include "harness/cli/progress.h"
#include "harness/op/registry.h"
#include "harness/simt/runtime/build_kind.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The check whose cases judge the mutants.
CheckArguments check_of(const MutateArguments& arguments) {
  CheckArguments check;
  check.select = arguments.select;
  check.kernels = arguments.kernels;
  check.suite = arguments.suite;
  check.loaded = arguments.loaded;
  check.usual_device = "cpu";  // modules for GPUs are those of the build
  check.cases = arguments.cases;
  return check;
}

// The variants that are selected, without composites, which have no code of their own.
Result<std::vector<std::string>> selected_ids(const std::vector<std::string>& select) {
  const auto chosen = ASSAY_TRY(select_variants(select.empty() ? std::vector<std::string>{"*"} : select, "cpu"));
  std::vector<std::string> ids;
  for (const Variant* variant : chosen)
    if (variant->steps.empty() || chosen.size() == 1) ids.push_back(variant->op + "/" + variant->name);
  return ids;
}

// Kernels without a source to mutate are left out, with the reason; an error where all are.
Result<std::vector<Drawn>> all_mutants(const std::vector<std::string>& ids, const std::vector<std::string>& kinds) {
  std::vector<Drawn> all(ids.size());
  std::vector<Result<void>> found(ids.size());
  const auto find = [&](size_t i) -> Result<void> {
    all[i].subject = ASSAY_TRY(subject_of(ids[i]));
    all[i].mutants = ASSAY_TRY(find_mutants(all[i].subject, kinds));
    return {};
  };
  const auto keep_error = [&](size_t i) -> Result<void> {
    found[i] = find(i);
    return {};
  };
  ASSAY_TRY(in_parallel(ids.size(), keep_error, "finding mutants"));
  const auto failed = [](const Result<void>& each) { return !each; };
  if (std::ranges::all_of(found, failed)) return tl::unexpected(found.front().error());
  for (const Result<void>& each : found)
    if (!each) say_to(stderr, "assay: left out: {}\n", each.error().line());
  return all;
}

class Mutating {
 public:
  Mutating(const MutateArguments& arguments, CheckArguments check, LoadedKernels own)
      : arguments_(arguments),
        check_(std::move(check)),
        own_(std::move(own)),
        jobs_(jobs_or_cores(arguments.jobs)),
        known_(read_results(arguments.out)) {}

  Result<int> run(const std::vector<Drawn>& drawn) {
    int64_t total = 0;
    for (const Drawn& each : drawn) total += static_cast<int64_t>(each.mutants.size());
    say_to(stderr, "{} mutants of {}, {} at once; Ctrl-C keeps what is done\n", total,
           drawn.size() == 1 ? drawn[0].subject.id : fmt::format("{} kernels", drawn.size()), jobs_);
    for (size_t i = 0; i < drawn.size() && !interrupted_flag(); ++i) {
      const auto ran = run_subject(drawn[i], i, total);
      if (!ran && interrupted_flag()) break;
      if (!ran && drawn.size() == 1) {
        if (!results_.empty()) say("{}", score_text(results_));  // a full disk, say, loses no figure
        return tl::unexpected(ran.error());
      }
      if (!ran) say_to(stderr, "assay: {}\n", ran.error().line()), refused_ = true;
    }
    return conclude(total);
  }

 private:
  Result<void> run_subject(const Drawn& drawn, size_t number, int64_t total) {
    CheckArguments check = check_;
    check.select = {drawn.subject.id};
    check.loaded = own_;
    if (own_.ids.empty()) check.loaded.reset();
    auto prepared = ASSAY_TRY(prepare_check(check, own_));
    const std::string plan = prepared.plan.digest();
    std::vector<const KernelMutant*> left;
    for (const KernelMutant& mutant : drawn.mutants) {
      const auto known = known_.find(key_of(drawn.subject, plan, mutant));
      known == known_.end() ? left.push_back(&mutant) : results_.push_back(known->second);
    }
    if (left.empty()) return {};
    const RunLimits limits{case_limit(prepared.suite, drawn.subject.id), jobs_, &interrupted_flag()};
    const fs::path folder = scratch_folder() / fmt::format("mutants{}", number);
    ASSAY_TRY(make_folder(folder / "sound"));
    const SoundRun sound = ASSAY_TRY(run_sound(drawn.subject, prepared.plan, limits, folder / "sound" / "kernel"));
    ASSAY_TRY(try_all(drawn.subject, sound, left, limits, folder, plan, total));
    std::error_code none;
    fs::remove_all(folder, none);
    return {};
  }

  std::chrono::duration<double> case_limit(const Suite& suite, const std::string& id) const {
    const auto own = suite.case_limit_s_of.find(id.substr(0, id.find('/')));
    return std::chrono::duration<double>((own == suite.case_limit_s_of.end() ? suite.case_limit_s : own->second) *
                                         kSlowdown);
  }

  static Result<void> make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    return error ? Result<void>(tl::unexpected(write_error(folder, error.value()))) : Result<void>();
  }

  // Several mutants at once, each in a thread of its own.
  Result<void> try_all(const Subject& subject, const SoundRun& sound, const std::vector<const KernelMutant*>& mutants,
                       const RunLimits& limits, const fs::path& folder, const std::string& plan, int64_t total) {
    std::atomic<size_t> next = 0;
    std::mutex mutex;
    Result<void> wrong;  // the last error
    const auto work = [&] {
      for (size_t i = next++; i < mutants.size() && !interrupted_flag(); i = next++) {
        const fs::path own = folder / fmt::format("{}", i);
        if (!make_folder(own)) return;
        const auto result = try_mutant(subject, sound, *mutants[i], limits, own / "kernel");
        std::error_code none;
        fs::remove_all(own, none);
        const std::lock_guard lock(mutex);
        if (!result) wrong = tl::unexpected(result.error());
        if (!result || !*result) continue;
        results_.push_back(**result);
        const auto kept = keep_result(arguments_.out, **result, key_of(subject, plan, *mutants[i]));
        if (!kept) wrong = kept;
        show(**result, total);
      }
    };
    std::vector<std::thread> threads;
    for (size_t i = 0; i < std::min(mutants.size(), static_cast<size_t>(jobs_)); ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    return wrong;
  }

  void show(const MutantResult& result, int64_t total) const {
    const std::string how = result.fate == Fate::killed ? fmt::format("{} after {} cases", result.verdict, result.cases)
                                                        : fmt::format("{}: {}", name(result.fate), result.reason);
    say_to(stderr, "{}/{} {}: {}\n", results_.size(), total, title(result.mutant), how);
  }

  Result<int> conclude(int64_t total) {
    std::ranges::stable_sort(results_, [](const MutantResult& a, const MutantResult& b) {
      return std::tie(a.subject, a.mutant.file, a.mutant.offset, a.mutant.replacement) <
             std::tie(b.subject, b.mutant.file, b.mutant.offset, b.mutant.replacement);
    });
    const Tally tally = tally_of(results_);
    for (const MutantResult& result : results_)
      if (result.fate == Fate::survived || result.fate == Fate::equal_bits) say("{}\n", survivor_text(result));
    say("{}", score_text(results_));
    ASSAY_TRY(write_score(arguments_.out, results_));
    const bool is_part = std::ssize(results_) < total;
    if (is_part) say("{} of {} mutants were run; the same command goes on.\n", results_.size(), total);
    if (!results_.empty()) say("{} has them all.\n", (fs::path(arguments_.out) / "mutants.jsonl").string());
    const int64_t surviving = tally.of(Fate::survived) + (arguments_.equal_bits_pass ? 0 : tally.of(Fate::equal_bits));
    if (surviving > 0) return kExitFail;
    return is_part || refused_ ? kExitInconclusive : kExitPass;
  }

  const MutateArguments& arguments_;
  const CheckArguments check_;
  const LoadedKernels own_;
  const int jobs_;
  const std::map<std::string, MutantResult> known_;
  std::vector<MutantResult> results_;
  bool refused_ = false;
};

// Modules of mutants are of no use tomorrow: they would take the places of others in the user's cache.
class CacheOfThisRun {
 public:
  CacheOfThisRun() {
    const char* before = std::getenv(kVariable);
    if (before != nullptr) before_ = before;
    setenv(kVariable, (scratch_folder() / "cache").c_str(), 1);
  }
  ~CacheOfThisRun() { before_ ? setenv(kVariable, before_->c_str(), 1) : unsetenv(kVariable); }
  CacheOfThisRun(const CacheOfThisRun&) = delete;
  CacheOfThisRun& operator=(const CacheOfThisRun&) = delete;

 private:
  static constexpr const char* kVariable = "XDG_CACHE_HOME";
  std::optional<std::string> before_;
};

}  // namespace

Result<int> run_mutate(const MutateArguments& arguments) {
  CheckArguments check = check_of(arguments);
  auto own = ASSAY_TRY(take_own_kernels(check));
  const bool has_files = has_own_kernels(check);
  if (has_files && (own.ids.empty() || is_open(own.guesses)))
    return fail("how the kernel meets the op is a guess, so that a mutant's failure may be the guess's",
                "write the adapter (`assay adapt FILE`), and check the kernel first");
  const auto ids = ASSAY_TRY(selected_ids(check.select));
  ASSAY_TRY(make_scratch_folder());
  const CacheOfThisRun cache;
  const auto drawn = draw(ASSAY_TRY(all_mutants(ids, arguments.kinds)), arguments.count, arguments.seed);
  if (drawn.empty())
    return fail("there is nothing to mutate: no site of these kinds is in the files of the kernels",
                "leave out --kinds, or give the file that has the kernel's code");
  std::error_code error;
  fs::create_directories(arguments.out, error);
  if (error) return tl::unexpected(write_error(arguments.out, error.value()));
  return Mutating(arguments, std::move(check), std::move(own)).run(drawn);
}

Command mutate_command() {
  return command_of<MutateArguments>(
      "mutate",
      [](CLI::App& command, MutateArguments& arguments) {
        command.add_option("select", arguments.select);
        add_kernels(command, arguments.kernels);
        command.add_option("--source", arguments.kernels.files);
        command.add_option("--suite", arguments.suite);
        command.add_option("--cases", arguments.cases)->check(CLI::Range(int64_t{1}, kCasesMax));
        command.add_option("--count", arguments.count)->check(CLI::Range(int64_t{1}, kCasesMax));
        command.add_option("--seed", arguments.seed)->check(kSeed);
        command.add_option("--kinds", arguments.kinds)->delimiter(',')->allow_extra_args(false);
        command.add_flag("--equal-bits-pass", arguments.equal_bits_pass);
        command.add_option("--jobs,-j", arguments.jobs)->check(CLI::Range(1, 1024));
        command.add_option("--out", arguments.out);
      },
      [](const MutateArguments& arguments, const std::vector<std::string>&) { return run_mutate(arguments); });
}

}  // namespace assay
