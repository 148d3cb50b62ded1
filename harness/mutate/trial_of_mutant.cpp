// Running a mutant's cases one after the other; what survives is compared bit by bit.
#include "harness/mutate/trial_of_mutant.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "harness/search/worker_pool.h"

namespace assay {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::array<std::string_view, 5> kFates{"killed", "survived", "equal bits", "equal code", "did not compile"};

// A mutant that hangs shows it in a few times what the sound kernel takes; a machine may be busy.
constexpr Seconds kPatience{3};
constexpr double kSlower = 20;

class MutantTrial {
 public:
  // `text`: of the mutant's file, without the mutant.
  MutantTrial(const Subject& subject, const SoundRun& sound, const KernelMutant& mutant, const std::string& text,
              const RunLimits& limits, std::string stem)
      : subject_(subject), sound_(sound), limits_(limits), stem_(std::move(stem)), text_(mutated(text, mutant)) {
    result_.subject = subject.id;
    result_.mutant = mutant;
    result_.diff = unified_diff(text, mutant);
  }

  // Cases in the suite's order. A build with the sound kernel's code would do as that did: its cases count as run.
  std::optional<MutantResult> run() {
    std::string device;
    bool is_equal = false;
    for (const SoundCase& each : sound_.cases) {
      if (each.task.device != device) {
        device = each.task.device;
        if (!compile_for(device)) return stopped() ? std::nullopt : std::optional(result_);
        is_equal = false;
      }
      if (!is_equal) {
        auto row = run_case(each);
        if (!row || row->verdict == Kind::skipped) return std::nullopt;  // no worker could be started
        is_equal = !row->origin.code.empty() && row->origin.code == code_of_sound(device);
        all_equal_ &= is_equal;
        if (row->verdict != Kind::pass) return killed(std::move(*row));
        compare(each, *row);
      }
      ++result_.cases;
    }
    conclude();
    return result_;
  }

 private:
  bool stopped() const { return limits_.stop && limits_.stop->load(); }

  std::string code_of_sound(const std::string& device) const {
    const auto found = sound_.code.find(device);
    return found == sound_.code.end() ? "" : found->second;
  }

  bool compile_for(const std::string& device) {
    auto module = compile_mutant(subject_, result_.mutant, text_, device, fmt::format("{}.{}", stem_, device));
    if (module) {
      modules_.push_back(*std::move(module));
      pool_ = std::make_unique<WorkerPool>(PoolOptions{.jobs = 1, .replacing = modules_});
      return true;
    }
    result_.fate = Fate::not_compiled;
    result_.reason = first_error(module.error().what);
    return false;
  }

  static std::string first_error(const std::string& words) {
    const size_t at = words.find("error: ");
    return at == std::string::npos ? words : words.substr(at, words.find('\n', at) - at);
  }

  std::optional<ResultRow> run_case(const SoundCase& each) {
    Task task = each.task;
    task.extras.undiagnosed = true;
    return pool_->run_one(task, std::min(limits_.of_case, Seconds(kPatience) + Seconds(kSlower * each.seconds)),
                          limits_.stop);
  }

  MutantResult killed(ResultRow row) {
    result_.fate = Fate::killed;
    ++result_.cases;
    result_.verdict = name(row.verdict);
    result_.line = row.line();
    result_.reason = row.detail;
    return result_;
  }

  void compare(const SoundCase& sound, const ResultRow& row) {
    if (row.output_bits == sound.output_bits) return;
    ++differing_;
    const double share = row.figures.or_zero("error_over_budget");
    if (differing_ > 1 && share <= largest_) return;
    largest_ = share;
    result_.line = row.line();
  }

  void conclude() {
    if (all_equal_) {
      result_.fate = Fate::equal_code;
      result_.reason = "the compiler makes the same code of it";
    } else if (differing_ == 0) {
      result_.fate = Fate::equal_bits;
      result_.reason = fmt::format("no bit differs in {} cases", result_.cases);
    } else {
      result_.fate = Fate::survived;
      result_.reason = fmt::format("bits differ in {} of {} cases, by {:.3g} of the error budget at most", differing_,
                                   result_.cases, largest_);
    }
  }

  const Subject& subject_;
  const SoundRun& sound_;
  const RunLimits& limits_;
  const std::string stem_, text_;
  MutantResult result_;
  std::vector<std::string> modules_;
  std::unique_ptr<WorkerPool> pool_;
  bool all_equal_ = true;
  int64_t differing_ = 0;
  double largest_ = 0;
};

}  // namespace

std::string_view name(Fate fate) { return kFates[static_cast<size_t>(fate)]; }

std::optional<Fate> fate_from(std::string_view name) {
  const auto found = std::ranges::find(kFates, name);
  return found == kFates.end() ? std::nullopt : std::optional(static_cast<Fate>(found - kFates.begin()));
}

Result<std::optional<MutantResult>> try_mutant(const Subject& subject, const SoundRun& sound,
                                               const KernelMutant& mutant, const RunLimits& limits,
                                               const std::string& stem) {
  const auto begun = std::chrono::steady_clock::now();
  const std::string text = ASSAY_TRY(text_of_file(subject, mutant));
  auto result = MutantTrial(subject, sound, mutant, text, limits, stem).run();
  if (result) result->seconds = Seconds(std::chrono::steady_clock::now() - begun).count();
  return result;
}

}  // namespace assay
