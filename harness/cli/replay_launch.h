// `assay replay FILE.launch`: a launch of a program runs again, without the program.
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/cli/cli.h"

namespace assay {

// Whether the word names a file that `assay run --capture` has written.
bool names_launch(const std::string& word);

// Runs the launches of these files, each under the schedules that are asked for, and prints findings and what differs
// from the program's run. An exit code.
Result<int> replay_launches(const ReplayArguments& arguments);

// The process in which a launch runs; the words are FILE MODULE SCHEDULE RESULT.
int replay_launch_main(const std::vector<std::string>& words);

}  // namespace assay
