// Where generated files and compiled modules are while this process lives.
#pragma once

#include <filesystem>

namespace assay {

// A folder of this process's own below the system's temporary one; it is removed when the process exits.
const std::filesystem::path& scratch_folder();

}  // namespace assay
