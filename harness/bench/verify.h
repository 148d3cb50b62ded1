// Whether timed runs did their work: what they wrote, over poison, judged like any run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/verdict.h"
#include "harness/judge/judge.h"

namespace assay::bench {

// The tensors that one timed run wrote.
struct Fetched {
  std::string when;  // "a run in the middle of the timed ones"
  Tensors written;   // the written tensors, in the contract's order
};

// A sum of the bits of all elements but those that may be anything: of two runs of one kernel it is the same, where the
// kernel is deterministic.
uint64_t checksum(const Tensors& written);

// Judges each, until one is wrong: every output written, and every value within its budget. A run that wrote the bits
// of the one before it is as right as that one. `trial` is of the candidate; details name the run.
Findings verify(Trial& trial, std::vector<Fetched> runs);

}  // namespace assay::bench
