// The sound kernel's run of the suite, against which mutants are judged.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "harness/mutate/subject.h"
#include "harness/search/plan.h"

namespace assay {

struct RunLimits {
  std::chrono::duration<double> of_case{10};  // processor time
  int jobs = 1;                               // workers at once
  const std::atomic<bool>* stop = nullptr;
};

// A case that the sound kernel passes.
struct SoundCase {
  Task task;
  std::string output_bits;
  double seconds = 0;
};

struct SoundRun {
  std::vector<SoundCase> cases;             // in the plan's order
  std::map<std::string, std::string> code;  // the hash of the compiled code by device
};

// Compiles the sound text as mutants are compiled, and runs every task of the plan. Errors: what does not compile; a
// case that fails, with its line and how to see it; no case that is judged; the end by `stop`.
Result<SoundRun> run_sound(const Subject& subject, Plan plan, const RunLimits& limits, const std::string& stem);

}  // namespace assay
