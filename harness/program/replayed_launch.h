// Running a launch of a file (saved_launch.h) in this process, and what is otherwise than in the program's run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/program/saved_launch.h"

namespace assay {

struct ReplayedLaunch {
  struct Found {
    std::string kind, detail;  // "RACE", a sentence
  };
  std::vector<Found> findings;
  std::vector<std::string> differences;  // from what the program's run had written, a sentence for each memory
  std::string unknown;  // the bytes that it read though the file does not have them; "": none, and all else is judged
};

// Runs the launch, checked, with the kernel of a compiled module. The memory's addresses must be free: once in a
// process. Errors: they are not; the module has no such kernel, or one with other parameters.
Result<ReplayedLaunch> replay_here(const SavedLaunch& launch, const std::string& module, uint64_t schedule);

// As text, between processes.
std::string print(const ReplayedLaunch& replayed);
Result<ReplayedLaunch> read_replayed(const std::string& text);

}  // namespace assay
