// Row by row; times wait for the whole table (times.h).
#include "harness/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/compare/accuracy.h"
#include "harness/compare/counts.h"
#include "harness/compare/times.h"
#include "harness/report/summary.h"

namespace assay::comparison {
namespace {

class Table {
 public:
  Table(const Measured& before, const Measured& after, const CompareOptions& options)
      : before_(before), after_(after), options_(options), times_(options) {
    result_.before = before.info;
    result_.after = after.info;
    result_.before_path = before.path;
    result_.after_path = after.path;
    result_.complete = is_complete(before.info) && is_complete(after.info);
    other_cases_ = before.info.seed != after.info.seed && !mostly_the_same();
    other_compiler_ =
        !before.info.compiler.empty() && !after.info.compiler.empty() && before.info.compiler != after.info.compiler;
  }

  Comparison compare() {
    for (const auto& [key, subject] : before_.subjects) {
      const auto found = after_.subjects.find(key);
      if (found != after_.subjects.end()) {
        compare_subjects(subject, found->second);
      } else if (!other_cases_) {
        add_missing(subject, "verdict", subject.failure.empty() ? "passed" : subject.failure);
      }
    }
    for (const auto& [key, subject] : after_.subjects)
      if (!before_.subjects.contains(key) && !other_cases_) add(subject, "verdict").change = Change::added;
    for (Line& line : compare_accuracy(before_, after_, other_cases_ && is_complete(after_.info)))
      result_.lines.push_back(std::move(line));
    result_.notes = times_.decide(result_.lines);
    note_runs();
    sort_and_count();
    return std::move(result_);
  }

 private:
  // Seeds choose the cases of `assay check`, and not those of `assay bench`.
  bool mostly_the_same() const {
    const auto in_both =
        std::ranges::count_if(before_.subjects, [&](const auto& each) { return after_.subjects.contains(each.first); });
    return 2 * in_both >= std::ssize(before_.subjects);
  }

  static Line line_for(const Subject& subject, const std::string& metric) {
    Line line;
    line.variant = subject.variant;
    line.dtype = subject.dtype;
    line.subject = subject.name;
    line.device = subject.device;
    line.metric = metric;
    line.source = subject.source;
    line.again = subject.again;
    return line;
  }

  Line& add(const Subject& subject, const std::string& metric) {
    return result_.lines.emplace_back(line_for(subject, metric));
  }

  // A run that did not end lacks rows that it would have had.
  void add_missing(const Subject& subject, const std::string& metric, const std::string& was) {
    if (!subject.judged && subject.failure.empty()) return;
    Line& line = add(subject, metric);
    line.change = is_complete(after_.info) ? Change::missing : Change::inconclusive;
    line.why = is_complete(after_.info) ? "was there: " + was : "not there yet";
  }

  void compare_subjects(const Subject& before, const Subject& after) {
    if (!before.judged) return;
    if (!after.judged) return add_missing(before, "verdict", "it is not judged any more");
    Line& verdict = add(after, "verdict");
    verdict.why = !after.failure.empty() ? after.failure : before.failure;
    if (before.failure.empty() && !after.failure.empty()) verdict.change = Change::regressed;
    if (!before.failure.empty() && after.failure.empty()) verdict.change = Change::improved;
    if (!before.failure.empty() && !after.failure.empty()) verdict.change = Change::failing;
    if (!after.failure.empty()) return;
    const bool same_code = is_same_code(before, after);
    if (same_code) ++same_code_;
    if (!same_code && after.series.contains(kBytes) && !before.series.contains(kBytes)) ++without_totals_;
    for (const auto& [metric, series] : before.series) {
      const auto found = after.series.find(metric);
      if (same_code && (series.exact || found == after.series.end())) continue;
      if (series.is_ratio) {
        Line line = line_for(after, metric);
        if (found != after.series.end() && compare_ratio(line, series, found->second))
          result_.ratios.push_back(std::move(line));
        continue;
      }
      if (found == after.series.end()) {
        add_missing(after, metric, "not measured any more");
        continue;
      }
      Line& line = add(after, metric);
      line.unit = series.unit;
      line.verb = series.verb;
      line.same_code = same_code;
      if (series.exact) {
        compare_exactly(line, series, found->second);
      } else if (before.gpu != after.gpu) {
        line.change = Change::inconclusive;
        line.why = "another GPU";
        other_gpus_.insert(fmt::format("{} and {}", before.gpu, after.gpu));
      } else {
        times_.add(line, result_.lines.size() - 1, series, found->second);
      }
    }
  }

  void compare_exactly(Line& line, const Series& before, const Series& after) {
    compare_total(line, before, after, options_.growth_max, other_compiler_);
    compiler_matters_ |= line.why == kOtherCompiler;
  }

  // "0", or how many of how many.
  static std::string failing_text(const Measured& run) {
    const auto failing = std::ranges::count_if(run.subjects, [](auto& each) { return !each.second.failure.empty(); });
    return failing == 0 ? "0" : fmt::format("{} of {}", failing, run.subjects.size());
  }

  void note_runs() {
    const auto note_incomplete = [&](const char* which, const Measured& run) {
      if (is_complete(run.info)) return;
      result_.notes.push_back(fmt::format("{} is not complete (status '{}')", which, run.info.status));
    };
    note_incomplete("BASE", before_);
    note_incomplete("NEW", after_);
    const std::string in_base = failing_text(before_), in_new = failing_text(after_);
    if (in_base != "0" || in_new != "0")
      result_.notes.push_back(fmt::format("failing cases: {} in BASE, {} in NEW", in_base, in_new));
    if (same_code_ > 0)
      result_.notes.push_back(
          fmt::format("{} rows have the same machine code in both runs: of these only the verdicts are compared, and "
                      "their times show "
                      "what runs differ by",
                      same_code_));
    if (compiler_matters_)
      result_.notes.push_back(fmt::format("counted figures differ, but so do the compilers: {} and {}; make BASE again",
                                          before_.info.compiler, after_.info.compiler));
    if (without_totals_ > 0)
      result_.notes.push_back(fmt::format(
          "the totals of {} rows (bytes, requests, …) are not compared, because BASE was made without them: "
          "make BASE again",
          without_totals_));
    for (const std::string& gpus : other_gpus_)
      result_.notes.push_back("times are of different GPUs, so they are not compared: " + gpus);
    if (other_cases_)
      result_.notes.push_back(
          fmt::format("the runs have different seeds ({} and {}), so most cases differ: accuracy is "
                      "compared over each variant's cases",
                      before_.info.seed, after_.info.seed));
  }

  void sort_and_count() {
    const auto effect = [](const Line& line) {
      if (line.metric == "verdict") return HUGE_VAL;
      const double ratio = std::fabs(std::log(line.after / line.before));
      return std::isnan(ratio) ? 0 : ratio;
    };
    std::ranges::stable_sort(result_.lines, [&](const Line& a, const Line& b) {
      if (a.change != b.change) return a.change < b.change;
      if (effect(a) != effect(b)) return effect(a) > effect(b);
      return std::tie(a.subject, a.device, a.metric) < std::tie(b.subject, b.device, b.metric);
    });
    for (const Line& line : result_.lines) ++result_.counts[static_cast<size_t>(line.change)];
  }

  const Measured& before_;
  const Measured& after_;
  const CompareOptions& options_;
  Comparison result_;
  bool other_cases_ = false;
  bool other_compiler_ = false;
  bool compiler_matters_ = false;
  int64_t same_code_ = 0;
  int64_t without_totals_ = 0;
  std::set<std::string> other_gpus_;
  Times times_;
};

}  // namespace

const ChangeWords& words_of(Change change) {
  static constexpr std::array<ChangeWords, kChanges> kWords{{{"REGRESSED", "regressed", Tone::bad},
                                                             {"MISSING", "missing", Tone::bad},
                                                             {"FAILING", "fail in both", Tone::bad},
                                                             {"INCONCLUSIVE", "inconclusive", Tone::idle},
                                                             {"IMPROVED", "improved", Tone::good},
                                                             {"NEW", "new", Tone::plain},
                                                             {"SAME", "the same", Tone::plain}}};
  return kWords[static_cast<size_t>(change)];
}

std::string_view name(Outcome outcome) {
  static constexpr std::array kNames{"SAME", "REGRESSED", "INCONCLUSIVE"};  // as in the enum
  return kNames.at(static_cast<size_t>(outcome));
}

Comparison compare(const Measured& before, const Measured& after, const CompareOptions& options) {
  return Table(before, after, options).compare();
}

Outcome outcome(const Comparison& comparison) {
  if (comparison.count(Change::regressed) + comparison.count(Change::missing) > 0) return Outcome::regressed;
  const bool nothing = comparison.lines.size() == static_cast<size_t>(comparison.count(Change::added));
  const bool open =
      nothing || !comparison.complete || comparison.count(Change::inconclusive) + comparison.count(Change::failing) > 0;
  return open ? Outcome::inconclusive : Outcome::same;
}

}  // namespace assay::comparison
