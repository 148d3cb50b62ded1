// The spine.
#include "harness/base/check.h"
#include "harness/base/running.h"
#include "harness/base/silent_output.h"
#include "harness/judge/huge.h"
#include "harness/judge/judge.h"
#include "harness/judge/unsupported.h"
#include "harness/op/huge.h"
#include "harness/op/launch_choice.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

const Contract& contract_of(const Case& c) {
  const Contract* contract = find_op(c.op);
  ASSAY_CHECK(contract, "no op '" + c.op + "'");
  return *contract;
}

}  // namespace

std::optional<std::string> why_unsupported(const Contract& contract, const Variant& variant, const Case& c) {
  if (std::ranges::find(variant.dtypes, c.dtype) == variant.dtypes.end()) {
    std::string known;
    for (const DType dtype : variant.dtypes) known += (known.empty() ? "" : ", ") + std::string(name(dtype));
    return variant.name + " has no kernel for " + std::string(name(c.dtype)) + "; it takes " + known;
  }
  if (auto why = refused_choice(contract, variant, c)) return why;
  return variant.unsupported ? variant.unsupported(c) : std::nullopt;
}

Trial::Trial(const Contract& contract_, const Variant& variant_, const Case& c_)
    : Trial(contract_, variant_, c_, make_tensors(contract_, c_, variant_.constants)) {}

Trial::Trial(const Contract& contract_, const Variant& variant_, const Case& c_, Tensors given_)
    : contract(contract_),
      variant(variant_),
      c(c_),
      given(std::move(given_)),
      got(given),
      row(row_for(c, variant.device)) {}

ResultRow Trial::conclude(const Findings& findings) && {
  Verdict verdict = Verdict::worst(findings);
  row.verdict = verdict.kind;
  row.detail = std::move(verdict.detail);
  row.findings = findings;
  if (row.verdict == Kind::pass) {
    row.worst.clear();
    row.maps.clear();
  }
  return std::move(row);
}

ResultRow run_case(const Case& c, const Variant& variant, Device& device, const Extras& extras) {
  set_current_case(print(c));
  const Running judging("the harness, which prepares and judges the case");
  const Contract& contract = contract_of(c);
  if (auto why = why_unsupported(contract, variant, c)) return row_for(c, variant.device, Kind::unsupported, *why);
  if (is_huge(contract, c) && !device.takes_huge()) return judge::huge_case(contract, variant, c, device);
  Trial trial(contract, variant, c);  // filled from the seed, outputs poisoned, guard zones around all
  const Findings f = variant.steps.empty() ? judge_run(trial, device, extras) : judge_steps(trial, device, extras);
  return std::move(trial).conclude(f);
}

Findings judge_run(Trial& trial, Device& device, const Extras& extras) {
  device.watch(extras.watching);
  Findings f = device.run(trial.variant, trial.c, trial.got, trial.c.schedule);
  const SilentOutput silent;  // what kernels print is the first run's: the others would print it again
  trial.row.hints = device.take_hints();
  if (extras.output_bits) judge::output_bits(trial);
  if (extras.watching.strict_barriers) trial.row.options = kStrictBarriers;
  judge::wrong_schedule(trial, device, f);
  f += judge::indices(trial);  // the kernel's index function, beyond 2^32 elements
  if (f.empty()) {
    f += judge::memory(trial);  // guards intact, inputs untouched
    f += judge::values(trial);  // reference and budget, NaN-safe
    if (!extras.undiagnosed) judge::diagnosis(trial, f);
    judge::first_nonfinite(trial, device, f);
    f += judge::repeat(trial, device);  // every output written; the same bits again
  }
  if (extras.is_step) return f;
  if (f.empty()) f += judge::properties(trial, device);                  // the contract's metamorphic oracles
  if (!extras.undiagnosed) judge::compiler_warnings(trial, f);           // what may be the reason, quoted
  if (f.empty()) judge::sensitivity(trial);                              // would we have noticed a wrong answer?
  if (f.empty() && extras.statistics) judge::statistics(trial, device);  // asked for: what it does to memory
  return f;
}

}  // namespace assay
