// A second run of the same case, in fresh memory, with another poison and another schedule of the executor.
//
// Two poisons distinguish an element that was never written from one that was legitimately given the poison's bits.
// Another schedule is what a second launch on a GPU is: a result that depends on it is a race, even when both are
// plausible. Which NaN a NaN is does not count: the operand that comes first passes its bits on here, and a GPU has one
// NaN. Ops that copy bits are held to them by each run's values.
#include <fmt/format.h>

#include <cmath>

#include "harness/judge/judge.h"

namespace assay::judge {
namespace {

struct Tally {
  int64_t count = 0;
  int64_t first = -1;
  void add(int64_t i) {
    if (count++ == 0) first = i;
  }
};

bool same(const Tensor& a, const Tensor& b, int64_t i) {
  return a.bits(i) == b.bits(i) || (std::isnan(a.at(i)) && std::isnan(b.at(i)));
}

}  // namespace

Findings repeat(Trial& trial, Device& device) {
  Tensors again = trial.given;
  for (Tensor& tensor : again)
    if (tensor.role() == Role::output) tensor.poison(Poison::second);
  const uint64_t schedule = trial.c.schedule + 1;
  Findings findings = device.run(trial.variant, trial.c, again, schedule);
  if (!findings.empty()) return findings;
  supply_omitted(trial.variant, trial.expected, again);
  for (size_t t = 0; t < again.size(); ++t) {
    const Tensor& first = trial.got[t];
    const Tensor& second = again[t];
    if (!is_written(first.role())) continue;
    Tally unwritten, differing;
    const Regions& regions = trial.given[t].regions();
    for (int64_t i = 0; i < first.count(); ++i) {
      if (!regions.empty() && regions.at(i) == Region::unspecified) continue;
      if (first.role() == Role::output && first.is_poison(i, Poison::first) && second.is_poison(i, Poison::second))
        unwritten.add(i);
      else if (!same(first, second, i))
        differing.add(i);
    }
    if (unwritten.count > 0)
      findings.push_back(
          {Kind::unwritten,
           fmt::format("{} of {} elements of output {} were never written, the first at {}", unwritten.count,
                       first.count(), first.name(), index_text(first.shape(), unwritten.first)),
           first.name()});
    if (differing.count > 0 && trial.variant.deterministic)
      findings.push_back(
          {Kind::nondeterministic,
           fmt::format("{} of {} elements of {} differ between two runs (schedules {} and {}), the first at {}: {:.9g} "
                       "and {:.9g}; look for a missing barrier, or declare the variant nondeterministic",
                       differing.count, first.count(), first.name(), trial.c.schedule, schedule,
                       index_text(first.shape(), differing.first), first.at(differing.first),
                       second.at(differing.first)),
           first.name()});
  }
  if (!trial.variant.deterministic && findings.empty()) {  // two runs may differ, but both must be right
    std::swap(trial.got, again);
    findings += values(trial);
    std::swap(trial.got, again);
  }
  return findings;
}

}  // namespace assay::judge
