// How long reading and compiling the user's files may take: a limit of its own (--compile-limit), and the end of
// --budget, which counts from the start of the command.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/command.h"
#include "harness/base/error.h"

namespace assay {

inline constexpr double kCompileLimitS = 300;  // in a release

// Limits each compiler, and any other work on a file between two of them. Uncalled, the limit is kCompileLimitS times
// what this build is slower by.
void limit_compiling(double seconds);

// No compiler runs on after that moment, which is the end of --budget.
void end_compiling_at(Process::Clock::time_point end);

// A file that is read and compiled from here on, for messages; also that there is progress with the one before.
void now_preparing(const std::string& file);
void preparation_goes_on();

struct CommandResult {
  int exit_code = -1;  // 127: it could not be started; 128 + N: killed by signal N
  bool stopped = false;
  std::string output;  // standard output and error, as they came
};

// Runs a compiler, which its limit, the budget, Ctrl-C and SIGTERM end with all that it has started; none starts any
// more after that, and `stopped` says so. `environment`: variables besides this process's own.
CommandResult run_compiler(const std::vector<std::string>& words,
                           const std::vector<std::pair<std::string, std::string>>& environment = {});

// Why reading and compiling are over: the limit ended a compiler, or the budget has ended. Names the file.
std::optional<Error> preparation_ended();

// The same for work that is no compiler and does not end by itself; some seconds later, for compilers to be gone.
std::optional<Error> preparation_hangs();

bool budget_ended_preparation();  // whether one of the two has said so

}  // namespace assay
