// The parts of `assay mutate`: the kernels, the drawn mutants, and what is kept of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/mutate/score.h"

namespace assay {

struct MutateArguments {
  std::vector<std::string> select;
  KernelArguments kernels;
  std::string suite;   // empty: ci, or kernel when files of kernels are checked
  int64_t cases = -1;  // per variant and dtype; -1: the suite's
  uint64_t seed = 1;   // of the draw
  int64_t count = 200;
  std::vector<std::string> kinds;  // empty: all
  int jobs = 0;                    // 0: one per core
  std::string out = "reports/mutants";
  bool equal_bits_pass = false;
  std::optional<LoadedKernels> loaded = {};  // of the files, where they are compiled already
};

// The command, which `assay nightly` runs too. Prints the survivors and the score; an exit code.
Result<int> run_mutate(const MutateArguments& arguments);

// A kernel and those of its mutants that were drawn.
struct Drawn {
  Subject subject;
  std::vector<KernelMutant> mutants;
};

// `count` mutants of all subjects, drawn by the seed; all where there are no more. Subjects without one are left out.
std::vector<Drawn> draw(std::vector<Drawn> all, int64_t count, uint64_t seed);

// The mutants of --out/mutants.jsonl, by their keys, which name the kernel's text, the plan and the bug.
std::map<std::string, MutantResult> read_results(const std::string& folder);
std::string key_of(const Subject& subject, const std::string& plan, const KernelMutant& mutant);

// Adds a result to --out/mutants.jsonl. Errors: those of the file system.
Result<void> keep_result(const std::string& folder, const MutantResult& result, const std::string& key);
// Writes the score and the survivors' diffs. Errors: those of the file system.
Result<void> write_score(const std::string& folder, const std::vector<MutantResult>& results);

}  // namespace assay
