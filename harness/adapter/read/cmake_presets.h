// Build folders by the names that a project's CMakePresets.json gives them.
#pragma once

#include <string>

#include "harness/base/error.h"

namespace assay {

// The build folder (binaryDir) of the configure preset `name`, of CMakePresets.json or CMakeUserPresets.json in the
// folder of the file `path` or in the nearest one above it, and of files that these include; `inherits` and macros are
// resolved as cmake-presets(7) says. Errors: no such file, one that cannot be read, no such preset, a preset without a
// build folder or with a macro that only CMake knows.
Result<std::string> build_folder_of_preset(const std::string& name, const std::string& path);

}  // namespace assay
