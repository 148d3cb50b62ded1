// Whether timed runs did their work: what they wrote, over poison, judged like any run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/verdict.h"
#include "harness/judge/judge.h"

namespace assay::bench {

// What one timed run wrote.
struct Fetched {
  std::string when;  // "a run in the middle of the timed ones"
  Tensors written;   // the written tensors, in the contract's order
};

// Judges each, until one is wrong: every output written, and every value within its budget. `trial` is of the
// candidate; details name the run.
Findings verify(Trial& trial, std::vector<Fetched> runs);

}  // namespace assay::bench
