// Composites: each step on the inputs that it really got, then the whole.
//
// A step that is given what an earlier one has spoilt is not to blame. So the first step whose outputs leave their own
// budgets ends the run, and the whole is judged only where no step has failed: it shows what errors come to that were
// all allowed. Each step's judge is audited on the step's data, since a wrong result of it is that judge's to notice.
#include <fmt/format.h>

#include <algorithm>

#include "harness/base/silent_output.h"
#include "harness/device/stepwise.h"
#include "harness/judge/judge.h"
#include "harness/judge/mutants.h"

namespace assay {
namespace {

std::string in_step(const Step& step, const std::string& name) { return step.name + "." + name; }

// Moves the results of a step's trial into the row of its composite.
void hand_over(const StepTask& task, ResultRow&& from, ResultRow& row) {
  for (const std::string& hint : from.hints) row.hints.push_back(fmt::format("step {}: {}", task.step.name, hint));
  double& largest = row.figures["error_over_budget"];
  const double ratio = from.figures["error_over_budget"];
  if (!(largest >= ratio)) largest = ratio;
  row.options = from.options;
}

// Adds the results of a step's audit to the composite's, under the step's name.
void audit_step(const StepTask& task, Trial& step, std::vector<SensitivityProbe>& probes) {
  judge::show_to_judge_of_step(step);
  for (SensitivityProbe& probe : step.row.sensitivity)
    probes.push_back({in_step(task.step, probe.mutant), probe.noticed});
}

void blame(const StepTask& task, ResultRow&& from, Findings& findings, ResultRow& row) {
  for (Finding& finding : findings) {
    finding.detail =
        fmt::format("step {} ({}/{}): {}", task.step.name, task.step.op, task.variant.name, finding.detail);
    if (!finding.subject.empty()) finding.subject = in_step(task.step, finding.subject);
  }
  row.worst = std::move(from.worst);
  row.maps = std::move(from.maps);
  for (WorstElement& element : row.worst) element.tensor = in_step(task.step, element.tensor);
  for (ErrorMap& map : row.maps) map.tensor = in_step(task.step, map.tensor);
}

// The formula of a contract by which the step was right; one for all its outputs, since the others were right in any.
std::string formula_of(const Expected& expected) {
  for (const ExpectedTensor& tensor : expected)
    if (!tensor.formula.empty()) return tensor.formula;
  return "";
}

}  // namespace

Findings judge_steps(Trial& trial, Device& device, const Extras& extras) {
  Extras of_step = extras;
  of_step.is_step = true;
  StepFormulas formulas;
  std::vector<SensitivityProbe> probes;
  Findings f = run_steps(trial.variant, trial.c, trial.got, [&](const StepTask& task, Tensors& tensors) {
    Trial step(task.op, task.variant, task.c, std::move(tensors));
    Findings findings = judge_run(step, device, of_step);
    if (findings.empty()) audit_step(task, step, probes);
    tensors = std::move(step.got);
    formulas[task.step.name] = formula_of(step.expected);
    if (!findings.empty()) blame(task, std::move(step.row), findings, trial.row);
    hand_over(task, std::move(step.row), trial.row);
    return findings;
  });
  if (!f.empty()) return f;
  const SilentOutput silent;
  StepwiseDevice stepwise(device);
  trial.expected = trial.oracle().expect_steps(formulas);
  f += judge::values(trial);
  if (f.empty()) f += judge::properties(trial, stepwise);
  if (f.empty()) {
    trial.row.sensitivity = std::move(probes);
    judge::sensitivity(trial);
  }
  if (f.empty() && extras.statistics) judge::statistics(trial, stepwise);
  return f;
}

}  // namespace assay
