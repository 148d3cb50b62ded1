// Compares every written element with its budget, and gathers what the report shows of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/judge/judge.h"

namespace assay::judge {
namespace {

constexpr size_t kWorstMax = 5;
constexpr int64_t kMapSide = 64;

// The grid of an ErrorMap over a tensor of `count` elements whose last dimension is `cols`.
class Map {
 public:
  Map(const ExpectedTensor& tensor) : cols_(tensor.shape.empty() ? 1 : std::max<int64_t>(1, tensor.shape.back())) {
    const int64_t rows = std::max<int64_t>(1, tensor.count() / cols_);
    row_step_ = (rows + kMapSide - 1) / kMapSide;
    col_step_ = (cols_ + kMapSide - 1) / kMapSide;
    map_.tensor = tensor.name;
    map_.shape = tensor.shape;
    map_.rows = static_cast<int>((rows + row_step_ - 1) / row_step_);
    map_.cols = static_cast<int>((cols_ + col_step_ - 1) / col_step_);
    map_.cells.assign(static_cast<size_t>(map_.rows) * static_cast<size_t>(map_.cols), 0);
  }
  void add(int64_t i, double error_over_budget) {
    const int64_t cell = i / cols_ / row_step_ * map_.cols + i % cols_ / col_step_;
    double& worst = map_.cells[static_cast<size_t>(cell)];
    worst = std::max(worst, error_over_budget);
  }
  ErrorMap take() && { return std::move(map_); }

 private:
  int64_t cols_, row_step_ = 1, col_step_ = 1;
  ErrorMap map_;
};

struct TensorTally {
  int64_t wrong = 0;
  int64_t wrong_class = 0;
  int64_t first_wrong = -1;
  double error_squared = 0, change_squared = 0;  // of elements that are to be finite
};

// `before` is what the element held, or 0 of an output that is written anew. An element that is not finite is as far
// off as one that was left as it was.
void add_distance(TensorTally& tally, double got, double want, double before) {
  if (!std::isfinite(want) || !std::isfinite(before)) return;
  const double change = want - before, error = std::isfinite(got) ? got - want : change;
  tally.error_squared += error * error;
  tally.change_squared += change * change;
}

void keep_worst(std::vector<WorstElement>& worst, WorstElement element) {
  const auto at = std::ranges::find_if(worst, [&](auto& w) { return element.error_over_budget > w.error_over_budget; });
  if (at == worst.end() && worst.size() == kWorstMax) return;
  worst.insert(at, std::move(element));
  if (worst.size() > kWorstMax) worst.pop_back();
}

Finding finding_of(const ExpectedTensor& want, const Tensor& got, const TensorTally& tally) {
  const int64_t i = tally.first_wrong;
  const auto at = static_cast<size_t>(i);
  const std::string difference =
      want.bits.empty() ? fmt::format("got {:.9g}, want {:.9g} ± {:.3g}", got.at(i), want.value[at], want.budget[at])
                        : fmt::format("got bits {:#x}, want {:#x}", got.bits(i), want.bits[at]);
  return {tally.wrong_class > 0 ? Kind::nonfinite : Kind::mismatch,
          fmt::format("{}: {} of {} elements are wrong, the first at {}: {}", want.name, tally.wrong, want.count(),
                      index_text(want.shape, i), difference),
          want.name};
}

// The row says which outputs are right by another formula than the canonical one.
void note_formulas(Trial& trial) {
  int outputs = 0;
  for (const Formula& formula : trial.contract.formulas)
    for (const ExpectedTensor& want : trial.expected) {
      if (want.formula != formula.name) continue;
      ++outputs;
      trial.row.hints.push_back(
          fmt::format("{} is judged by the formula {}: {}", want.name, formula.name, formula.states));
    }
  if (outputs > 0) trial.row.figures["other_form"] = outputs;
}

}  // namespace

Findings values(Trial& trial) {
  if (trial.expected.empty()) trial.expected = trial.oracle().expect();
  supply_omitted(trial.variant, trial.expected, trial.got);
  trial.oracle().take_fitting_formulas(trial.got, trial.expected);
  note_formulas(trial);
  Findings findings;
  int64_t either_way = trial.oracle().take_decisions(trial.got, trial.expected);
  double& largest = trial.row.figures["error_over_budget"];
  double furthest = 0;
  for (const ExpectedTensor& want : trial.expected) {
    either_way += std::ssize(want.alternatives);
    const Tensor& got = trial.got.get(want.name);
    const Tensor* given = got.role() == Role::accumulate ? &trial.given.get(want.name) : nullptr;
    Map map(want);
    TensorTally tally;
    const auto judge_element = [&](int64_t i) {
      if (!want.is_known(i)) return;
      const Comparison comparison = want.compare(i, got.bits(i));
      const double ratio = comparison.error_over_budget;
      map.add(i, ratio);
      if (!(largest >= ratio)) largest = ratio;  // it starts as NaN
      if (want.bits.empty())
        add_distance(tally, got.at(i), want.value[static_cast<size_t>(i)], given ? given->at(i) : 0);
      else
        add_distance(tally, ratio <= 1 ? 1 : 0, 1, 0);  // bits are right or wrong
      if (ratio <= 1) return;
      if (tally.wrong++ == 0) tally.first_wrong = i;
      if (comparison.wrong_class && tally.wrong_class++ == 0) tally.first_wrong = i;
      keep_worst(trial.row.worst,
                 {want.name, index_text(want.shape, i), got.at(i), want.value[static_cast<size_t>(i)], ratio});
    };
    for (const auto& [begin, end] : want.known_ranges())
      for (int64_t i = begin; i < end; ++i) judge_element(i);
    trial.row.maps.push_back(std::move(map).take());
    if (tally.change_squared > 0) furthest = std::max(furthest, std::sqrt(tally.error_squared / tally.change_squared));
    if (tally.wrong > 0) findings.push_back(finding_of(want, got, tally));
  }
  if (!findings.empty()) trial.row.figures["relative_distance"] = furthest;
  if (either_way > 0) trial.row.figures["either_way"] = static_cast<double>(either_way);
  return findings;
}

}  // namespace assay::judge
