// One mutant before the suite: whether some case tells it from the sound kernel, and after how many.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/base/verdict.h"
#include "harness/mutate/sound_run.h"

namespace assay {

enum class Fate : uint8_t {
  killed,        // a case did not pass
  survived,      // all cases pass, and bits of some outputs differ
  equal_bits,    // all cases pass with the sound kernel's bits: equivalent, or no case tells
  equal_code,    // the compiler makes the sound kernel's code of it: equivalent
  not_compiled,  // no mutant at all
};
std::string_view name(Fate fate);
std::optional<Fate> fate_from(std::string_view name);

struct MutantResult {
  std::string subject;  // its id
  KernelMutant mutant;
  Fate fate = Fate::survived;
  int64_t cases = 0;         // until it was killed, that one included; else all that were run
  std::string verdict = {};  // that killed it
  std::string line = {};     // the case that did, or the one where a survivor differs most
  std::string reason = {};   // what was wrong, or why nothing was
  std::string diff = {};
  double seconds = 0;  // compiling and running; not part of what is kept
};

// Compiles the mutant for each device when its first case comes, and runs the sound kernel's cases in order until one
// does not pass. Nothing where `stop` ended it, or no worker could be started. Errors: a header that cannot be read.
Result<std::optional<MutantResult>> try_mutant(const Subject& subject, const SoundRun& sound,
                                               const KernelMutant& mutant, const RunLimits& limits,
                                               const std::string& stem);

}  // namespace assay
