// Composites: ops that are made of other ops, step by step (step.h), as a transformer layer is.
//
// A composite's contract lists its dims, attributes, tensors and steps; composite() derives the rest from the steps'
// ops. Its reference runs theirs one after the other and carries values with their errors from each to the next, so the
// whole has a budget of its own. A variant of a composite chooses a variant for each step (Variant::steps); a case may
// choose others (steps= in its line). run_steps() gives each step the tensors that the ones before it have really made,
// so whoever runs it can judge every step by its own op's contract before the next one begins. Variant::run of a
// composite queues the kernels of all steps instead, as whoever uses the whole does: so it is timed. What only steps
// know lies in the workspace then, and a step may write in place what is there, but no input of the whole.
//
// Results that a step hands on err independently, element by element: their spread becomes a variance. Errors that
// elements share, as a row has its rstd's, would add up linearly otherwise, and the whole of a real model's layer would
// notice nothing. They count twice: on sorted data of one sign, once was 1.0014 of a budget, and twice is 0.64
// (kInStep).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/verdict.h"
#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

// The contract with what follows from its steps: the reference, the work, and a constraint that asks the contract's own
// first and then those of its steps. `adjust` is the author's: steps do not say how to move a case.
Contract composite(Contract contract);

// The steps that a case has, in order.
std::vector<const Step*> steps_of(const std::vector<Step>& steps, const Case& c);

// The case of a step in a case of its composite, without a variant. No fill makes its data; its line has `normal`.
Case case_of_step(const Step& step, const Case& c);

// The composite's name for a tensor of a step.
const std::string& name_in_whole(const Step& step, const std::string& tensor);

// Runs the reference of a step, for whom it calls: in another precision, say.
using AroundStep = std::function<void(const Step& step, const Case& c, const std::function<void()>& run)>;

// The composite's written tensors by its steps' references, each computed in full.
template <class S>
std::vector<RefTensor<S>> run_references(const std::vector<Step>& steps, const Case& c, const Tensors& given,
                                         const AroundStep& around = nullptr);

// The variant that a composite's one runs for a step in this case; null where its device does not have it.
const Variant* variant_of_step(const Variant& whole, const Step& step, const Case& c);

// The variants whose kernels a run consists of: those of a composite's steps in this case, else the variant itself.
std::vector<const Variant*> parts_of(const Variant& variant, const Case& c);

// Whether two runs write the same bits.
bool is_deterministic(const Variant& variant, const Case& c);

// A variant of a composite that runs all steps at once, with the reasons of its steps for which it cannot run a case.
Variant composite_variant(Variant variant);

// A step of one run. Its case has the variant's name and a block size that the variant admits, by the case's seed.
struct StepTask {
  const Step& step;
  const Contract& op;
  const Variant& variant;
  const Case& c;
};

// Runs a step on `tensors`, in place, and says what was wrong.
using RunStep = std::function<Findings(const StepTask& task, Tensors& tensors)>;

// Runs the steps in order until one has findings, which come back. `tensors` are the composite's, in place.
Findings run_steps(const Variant& whole, const Case& c, Tensors& tensors, const RunStep& run);

}  // namespace assay
