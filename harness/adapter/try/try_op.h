// Whether a compiled op can be trusted with this process.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/error.h"

namespace assay {

// Loads the module in a child process and looks there for what is wrong with its contract, so that a constructor that
// throws or a reference that reads beyond its tensors is an error here and no crash. Errors: a contract with another
// name than `name`, its mistakes (contract_mistakes), and how the child died. Call it before other threads start.
Result<void> try_op(const std::filesystem::path& module, const std::string& name);

}  // namespace assay
