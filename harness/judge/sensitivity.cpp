// The sensitivity audit: after a pass, the judge is shown mutants, wrong outputs made from the right ones. A case whose
// budget accepts one of them is blind to it; an op × dtype that is blind too often is MISTRUSTED
// (harness/report/audit.h).
//
// Not every changed output is wrong: where everything cancels, the right value is itself rounding noise, and its double
// is as good. So an output counts as wrong only if some element of it is off by kNoise times the largest error that the
// reference makes when it is run in plain f32, with the roundings that the variant declares, and by so much more as the
// precision that it declares to compute in is coarser. That is measured, and owes nothing to the budgets that are
// audited.
//
// A composite is audited the way it is judged. Each step's judge is shown the mutants of what that step has made of its
// real inputs, fine ones too, but not those of its op's contract: whether a misplaced eps shows depends on the data,
// and the op's own cases have such data. The whole's judge follows: its budget has what all steps before an output may
// err by, so an error of one step is the step's to notice, and fine ones, 2 % too much or a lost rounding, are not
// shown to it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/judge/judge.h"
#include "harness/judge/mutants.h"

namespace assay::judge {
namespace {

constexpr double kNoise = 16;

// The largest error of the plain f32 computation with the roundings that the variant declares, for each written tensor,
// in steps of what the variant computes in. Infinite where f32 overflows.
std::vector<double> noise_of(const Trial& trial) {
  const double coarser = Tracked::unit / 0x1p-24;
  std::vector<double> noise;
  const auto narrow = trial.variant.steps.empty() ? trial.contract.reference.narrow(trial.c, trial.given)
                                                  : run_references<float>(trial.contract.steps, trial.c, trial.given,
                                                                          as_declared(trial.variant, trial.c));
  for (size_t t = 0; t < narrow.size(); ++t) {
    double largest = 0;
    if (trial.expected[t].dtype == DType::u8) {  // codes that are neighbours may be any distance apart as bytes
      noise.push_back(0);
      continue;
    }
    for (size_t i = 0; i < narrow[t].values.size(); ++i) {
      const double right = trial.expected[t].value[i];
      if (!trial.expected[t].is_known(static_cast<int64_t>(i)) || !std::isfinite(right) ||
          trial.expected[t].alternatives.contains(static_cast<int64_t>(i)))
        continue;
      const double error = std::fabs(narrow[t].values[i] - right);
      if (!(error <= largest)) largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    }
    noise.push_back(largest * coarser);
  }
  return noise;
}

// Whether element i of a mutant is off by more than noise.
bool is_wrong(const ExpectedTensor& want, int64_t i, double mutant, double noise) {
  const double right = want.value[static_cast<size_t>(i)];
  if (mutant == right || !want.is_known(i)) return false;
  const uint64_t bits = from_double(want.dtype, mutant);
  if (want.is_alternative(i, bits)) return false;
  if (to_double(want.dtype, bits) == to_double(want.dtype, from_double(want.dtype, right))) return false;
  if (!std::isfinite(right) || !std::isfinite(mutant)) return !(std::isnan(right) && std::isnan(mutant));
  // Where f32 happens to compute exactly, coarser arithmetic still rounds its result.
  const double rounding = Tracked::unit > 0x1p-24 ? Tracked::unit * std::fabs(right) : 0;
  return std::fabs(mutant - right) > kNoise * std::max(noise, rounding);
}

// The results that a right kernel may write by the contract's other formulas. An audit of them all would double its
// time, so one case in sixteen is audited for them: a mutant must be noticed by every formula that would be taken.
std::vector<Expected> formulas_audited(const Trial& trial) {
  std::vector<Expected> formulas;
  if (Rng::stream(trial.c.seed, "audit of forms").below(16) != 0) return formulas;
  for (const Formula& formula : trial.oracle().other_formulas())
    formulas.push_back(trial.oracle().expect(formula.name));
  return formulas;
}

bool fits_mutant(const ExpectedTensor& want, const RefTensor<double>& mutant) {
  for (int64_t i = 0; i < want.count(); ++i)
    if (!(want.compare(i, from_double(want.dtype, mutant[i])).error_over_budget <= 1)) return false;
  return true;
}

enum class Sight : uint8_t { no_difference, blind, noticed };

Sight look_at(const ExpectedTensor& want, const RefTensor<double>& mutant, double noise) {
  Sight sight = Sight::no_difference;
  for (int64_t i = 0; i < want.count(); ++i) {
    if (!is_wrong(want, i, mutant[i], noise)) continue;
    if (want.compare(i, from_double(want.dtype, mutant[i])).error_over_budget > 1) return Sight::noticed;
    sight = Sight::blind;
  }
  return sight;
}

// Codes are judged by the decisions that led to them, so the mutant's are followed as a kernel's would be.
Sight look_at_codes(const Trial& trial, size_t t, const RefTensor<double>& mutant) {
  const ExpectedTensor& want = trial.expected[t];
  if (look_at(want, mutant, 0) == Sight::no_difference) return Sight::no_difference;
  Tensors got = trial.got;
  for (int64_t i = 0; i < want.count(); ++i) got.get(want.name).set_bits(i, from_double(want.dtype, mutant[i]));
  Expected followed = trial.expected;
  trial.oracle().take_decisions(got, followed);
  return followed[t].fits(got.get(want.name)) ? Sight::blind : Sight::noticed;
}

Sight look_at(const Trial& trial, const std::vector<Expected>& formulas, size_t t, const RefTensor<double>& mutant,
              double noise) {
  if (trial.expected[t].dtype == DType::u8) return look_at_codes(trial, t, mutant);
  const Sight sight = look_at(trial.expected[t], mutant, noise);
  if (sight != Sight::noticed) return sight;
  for (const Expected& formula : formulas)
    if (fits_mutant(formula[t], mutant)) return Sight::blind;
  return sight;
}

// A mutant without any wrong element shows nothing about the judge.
void add_probe(Trial& trial, const std::string& name, Sight sight) {
  if (sight != Sight::no_difference) trial.row.sensitivity.push_back({name, sight == Sight::noticed});
}

std::vector<double> initial_values(const Trial& trial, const ExpectedTensor& want) {
  const Tensor& given = trial.given.get(want.name);
  std::vector<double> initial(want.value.size());
  if (given.role() == Role::accumulate)
    for (int64_t i = 0; i < given.count(); ++i) initial[static_cast<size_t>(i)] = given.at(i);
  return initial;
}

// Elements that an op leaves alone are judged by their bits. A mutant that is noticed there shows nothing about the
// rest, so only those of the contract, which say what they change, may change it.
void restore_kept(const Tensor& given, RefTensor<double>& mutant) {
  for (const Regions::Run& run : given.regions().runs())
    for (int64_t i = run.begin; run.region == Region::kept && i < run.end; ++i) mutant[i] = given.at(i);
}

// Mutants of each written tensor by itself.
void show_standard(Trial& trial, const std::vector<Expected>& formulas, const std::vector<double>& noise) {
  for (size_t t = 0; t < trial.expected.size(); ++t) {
    const ExpectedTensor& want = trial.expected[t];
    if (is_omitted(trial.variant, want.name)) continue;
    const std::vector<double> initial = initial_values(trial, want);
    for (const StandardMutant& standard : standard_mutants()) {
      if (standard.is_fine && !trial.variant.steps.empty()) continue;
      RefTensor<double> mutant{want.name, want.shape, want.value};
      standard.mutate(mutant, initial, want.dtype);
      restore_kept(trial.given.get(want.name), mutant);
      add_probe(trial, std::string(standard.name) + ":" + want.name, look_at(trial, formulas, t, mutant, noise[t]));
    }
  }
}

void show_own(Trial& trial, const std::vector<Expected>& formulas, const std::vector<double>& noise) {
  for (const Mutant& mutant : trial.contract.mutants) {
    std::vector<RefTensor<double>> outputs;
    for (const ExpectedTensor& want : trial.expected) outputs.push_back({want.name, want.shape, want.value});
    mutant.mutate(trial.c, trial.given, outputs);
    Sight sight = Sight::no_difference;
    for (size_t t = 0; t < outputs.size(); ++t)
      if (!is_omitted(trial.variant, trial.expected[t].name))
        sight = std::max(sight, look_at(trial, formulas, t, outputs[t], noise[t]));
    add_probe(trial, mutant.name, sight);
  }
}

}  // namespace

void sensitivity(Trial& trial) {
  const std::vector<double> noise = noise_of(trial);
  const std::vector<Expected> formulas = formulas_audited(trial);
  show_standard(trial, formulas, noise);
  show_own(trial, formulas, noise);
}

void show_to_judge_of_step(Trial& step) { show_standard(step, formulas_audited(step), noise_of(step)); }

}  // namespace assay::judge
