// The judge: what is wrong with one run of a variant. One function per question; the spine below asks them in order.
#pragma once

#include "harness/base/verdict.h"
#include "harness/device/device.h"
#include "harness/judge/declared.h"
#include "harness/judge/oracle.h"
#include "harness/result/row.h"

namespace assay {

// One run under judgement, and the row that comes of it.
struct Trial {
  Trial(const Contract& contract, const Variant& variant, const Case& c);
  Trial(const Contract& contract, const Variant& variant, const Case& c, Tensors given);  // as make_tensors made them

  const Contract& contract;
  const Variant& variant;
  const Case& c;
  const Tensors given;  // as made from the seed: never shown to the kernel
  Tensors got;          // the kernel's copy: outputs poisoned, guards around everything
  const TrackedPrecision declared = declared_precision(variant, c);
  Expected expected;  // filled by judge::values
  ResultRow row;

  Oracle oracle() const { return {contract, variant, c, given}; }
  ResultRow conclude(const Findings& findings) &&;
};

namespace judge {

void wrong_schedule(Trial& trial, Device& device, Findings& findings);  // what a race does, added to its detail
Findings indices(const Trial& trial);                                   // the index function, beyond 2^32 elements
Findings memory(const Trial& trial);                                    // guard zones intact, inputs untouched
Findings values(Trial& trial);                           // every element within its budget; fills the row's figures
void diagnosis(const Trial& trial, Findings& findings);  // a declared precision that explains an error, to the detail
bool is_diagnosed(const Contract& contract, const Case& c);      // whether the case is small enough for that
void compiler_warnings(const Trial& trial, Findings& findings);  // of its file, where they may be the reason: quoted
void first_nonfinite(const Trial& trial, Device& device, Findings& findings);  // who made it, added to the detail
Findings repeat(Trial& trial, Device& device);            // every output written; the same bits on a second run
Findings properties(const Trial& trial, Device& device);  // the contract's metamorphic oracles
void sensitivity(Trial& trial);                           // would we have noticed a wrong answer? fills row.sensitivity
void output_bits(Trial& trial);                 // the digest of what was written; row.output_bits
void statistics(Trial& trial, Device& device);  // what the variant does to memory, one more run; row.statistics

}  // namespace judge

// The parts of a row that it has only when somebody asks for them.
struct Extras {
  bool statistics = false;   // of memory accesses, after a PASS on a device that can count them
  Watching watching = {};    // what the device is to look for besides
  bool undiagnosed = false;  // wrong values are not explained: to shrinking they are what they are
  bool printed = false;      // what kernels print in the first run
  bool output_bits = false;  // a digest of what the first run wrote
  bool is_step = false;      // of a composite: its run is judged, and not what its op would do on other data
};

// The spine: what one run of the trial's variant comes to, on a device that runs it.
Findings judge_run(Trial& trial, Device& device, const Extras& extras);

// The same for a composite: each step by its own op's contract on what it was really given, until one fails; then what
// they have made together by the composite's. Findings name the step, as their subjects and elements do.
Findings judge_steps(Trial& trial, Device& device, const Extras& extras);

// Judges a case and returns its row. A case that the variant does not support comes back as UNSUPPORTED.
ResultRow run_case(const Case& c, const Variant& variant, Device& device, const Extras& extras = {});

}  // namespace assay
