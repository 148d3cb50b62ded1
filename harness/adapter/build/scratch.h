// The folder of generated files and compiled modules while this process lives.
#pragma once

#include <filesystem>

#include "harness/base/error.h"

namespace assay {

// Makes a folder of this process's own below the system's temporary one; it is removed when the process exits.
Result<void> make_scratch_folder();

// That folder, once it was made.
const std::filesystem::path& scratch_folder();

}  // namespace assay
