// Running another program, without a shell: words stay words, whatever is in them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace assay {

struct CommandResult {
  int exit_code = -1;  // 127: it could not be started; 128 + N: killed by signal N
  std::string output;  // standard output and error, as they came
};

// Waits for it. `environment`: variables besides this process's own.
CommandResult run_command(const std::vector<std::string>& words,
                          const std::vector<std::pair<std::string, std::string>>& environment = {});

}  // namespace assay
