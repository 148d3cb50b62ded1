// Completes the word under the cursor for the scripts that `assay completion` prints.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace assay {

// Words that begin as the last of `words` does: commands, options, their values, ops and variants. Empty where a file
// is as good.
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words);

// An option's or command's names as they are typed.
std::vector<std::string> option_names(const CLI::App& app);
std::vector<std::string> command_names(const CLI::App& app);

}  // namespace assay
