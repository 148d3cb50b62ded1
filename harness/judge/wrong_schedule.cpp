// A race is found whatever the order in which threads ran. This looks for an order in which it does harm.
#include <algorithm>

#include "harness/judge/judge.h"

namespace assay::judge {
namespace {

constexpr uint64_t kSchedules = 8;  // shrinking asks for every candidate, so not many

}  // namespace

void wrong_schedule(Trial& trial, Device& device, Findings& findings) {
  const auto race = std::ranges::find(findings, Kind::race, &Finding::kind);
  if (race == findings.end()) return;
  for (uint64_t schedule = trial.c.schedule; schedule <= trial.c.schedule + kSchedules; ++schedule) {
    Trial again(trial.contract, trial.variant, trial.c, trial.given);
    again.expected = std::move(trial.expected);
    device.run(again.variant, again.c, again.got, schedule);
    const Findings wrong = values(again);
    trial.expected = std::move(again.expected);
    if (wrong.empty()) continue;
    race->detail += "; schedule=" + std::to_string(schedule) + " shows a wrong value: " + wrong.front().detail;
    return;
  }
}

}  // namespace assay::judge
