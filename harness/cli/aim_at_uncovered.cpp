// Numbers from the conditions around uncovered lines, cases from these, and the counters read after each case.
#include "harness/cli/aim_at_uncovered.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "harness/device/device.h"
#include "harness/mutate/subject.h"
#include "harness/op/registry.h"
#include "harness/search/aimed_cases.h"

namespace assay {
namespace {

// The constants of the conditions that stand around the lines, or in them; none where nothing can read the file. The
// lines get what the innermost condition depends on.
std::vector<int64_t> numbers_around(std::vector<UncoveredLine>& lines, const std::string& id) {
  std::set<int64_t> numbers;
  const auto subject = subject_of(id);
  if (!subject) return {};
  const auto conditions = find_conditions(*subject).value_or(std::vector<Condition>{});  // by file and line
  for (UncoveredLine& line : lines)
    for (const Condition& condition : conditions) {
      if (condition.file != line.file || condition.line > line.line || line.line > condition.last) continue;
      numbers.insert(condition.numbers.begin(), condition.numbers.end());
      std::vector<std::string> words = condition.names;
      for (const int64_t number : condition.numbers) words.push_back(std::to_string(number));
      line.decided_by = fmt::format("{}", fmt::join(words, ", "));
    }
  return {numbers.begin(), numbers.end()};
}

// Passes a campaign on, and reads the counters after each case.
class Watch : public CampaignObserver {
 public:
  Watch(CampaignObserver& next, Coverage& coverage) : next_(next), coverage_(coverage), left_(coverage.uncovered) {}

  void case_done(const ResultRow& row) override {
    ++coverage_.aimed;
    next_.case_done(row);
    const auto now = coverage_of_runs();
    if (!now) return;
    std::vector<UncoveredLine> left;
    for (const UncoveredLine& before : left_) {
      const auto after = std::ranges::find_if(now->uncovered, [&](const UncoveredLine& each) {
        return each.file == before.file && each.line == before.line;
      });
      const bool is_covered = after == now->uncovered.end();
      if (is_covered || after->ways_taken > before.ways_taken || (before.runs == 0 && after->runs > 0))
        line_of(before).reached_by = row.line();
      if (!is_covered) left.push_back(*after);
    }
    left_ = std::move(left);
  }
  void row_ready(const ResultRow& row) override {
    ResultRow of_no_plan = row;
    of_no_plan.place = -1;
    next_.row_ready(of_no_plan);
  }
  void shrinking(const ResultRow& failing) override { next_.shrinking(failing); }
  void shrunk(const ResultRow& failing, const ResultRow& smallest) override { next_.shrunk(failing, smallest); }
  void not_shrunk(const std::string& id, size_t defects) override { next_.not_shrunk(id, defects); }

  bool is_done() const { return left_.empty(); }
  void note_tried(const std::string& what) {
    for (const UncoveredLine& left : left_) line_of(left).tried = what;
  }

 private:
  UncoveredLine& line_of(const UncoveredLine& line) {
    return *std::ranges::find_if(coverage_.uncovered, [&](const UncoveredLine& each) {
      return each.file == line.file && each.line == line.line;
    });
  }

  CampaignObserver& next_;
  Coverage& coverage_;
  std::vector<UncoveredLine> left_;
};

// Adds the rows of an aim's cases.
CampaignEnd run_aim(const std::vector<Case>& cases, const CampaignOptions& options, Watch& watch, Report& report) {
  std::vector<Task> tasks;
  for (const Case& c : cases) tasks.push_back({c, "cpu", {}});
  Plan plan(std::move(tasks));
  CampaignResult result = run_campaign(plan, options, watch);
  for (ResultRow& row : result.rows) {
    row.place = -1;
    report.rows.push_back(std::move(row));
  }
  return result.end;
}

}  // namespace

bool aim_at_uncovered(const std::vector<std::string>& ids, int64_t most, CampaignOptions options,
                      CampaignObserver& observer, Report& report) {
  options.pool.jobs = 1;  // the counters are those of all processes together
  const std::optional<std::chrono::duration<double>> budget = options.budget;
  const auto begun = std::chrono::steady_clock::now();
  Coverage& coverage = *report.info.coverage;
  Watch watch(observer, coverage);
  for (const std::string& id : ids) {
    const size_t slash = id.find('/');
    const Variant* variant = find_variant(id.substr(0, slash), id.substr(slash + 1), "cpu");
    if (!variant || watch.is_done()) continue;
    const std::vector<int64_t> numbers = numbers_around(coverage.uncovered, id);
    std::vector<std::string> tried;
    std::vector<Aim> aims = aimed_cases(*find_op(variant->op), *variant, numbers, report.info.seed);
    int64_t room = most, planned = 0;
    for (const Aim& aim : aims) planned += std::ssize(aim.cases);
    planned = coverage.aimed + std::min(planned, most);
    for (Aim& aim : aims) {
      if (watch.is_done() || room <= 0) break;
      if (budget) options.budget = *budget - (std::chrono::steady_clock::now() - begun);
      if (static_cast<int64_t>(aim.cases.size()) > room) aim.cases.resize(static_cast<size_t>(room));
      room -= static_cast<int64_t>(aim.cases.size());
      tried.push_back(aim.at);
      const CampaignEnd end = run_aim(aim.cases, options, watch, report);
      if (end == CampaignEnd::interrupted) report.info.cases_planned += planned;
      if (end != CampaignEnd::complete) return end != CampaignEnd::interrupted;
    }
    watch.note_tried(fmt::format("{}", fmt::join(tried, ", ")));
  }
  return true;
}

}  // namespace assay
