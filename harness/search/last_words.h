// The last line of a process when a kernel ends it, forks it, or is not done in time.
#pragma once

#include <string>

namespace assay {

// The beginning of the line where a vector access was misaligned.
inline constexpr const char* kMisalignedAccess = "misaligned vector access";

// The beginning of the line where the op's own functions or the harness ran, and no kernel.
inline constexpr const char* kOutsideTheKernel = "outside the kernel: ";

// The beginning of the line of a kernel that runs another block at its time limit than at half of it (SIGUSR1): it has
// much to do, and hangs nowhere.
inline constexpr const char* kGoesOn = "one block after the other is done: ";

// For the process that runs cases: fatal signals, SIGTERM (its time limit), exit() and quick_exit() print a line with
// the kernel's thread and source line to standard error before the process ends; and a fork() of a kernel ends at once,
// since the copy would run on as a second harness.
void install_last_words();

// The processes that the case has left: "" when there are none, else a sentence.
std::string processes_left();

}  // namespace assay
