// Files of TOML, as toml++ reads them where they are not made to break it.
#pragma once

#include <toml++/toml.h>
#include <string>

#include "harness/base/error.h"

namespace assay {

// The file's table. Errors name the file and the line, with `hint`: it cannot be read, is no TOML, has more than 1 MB,
// or a key of more than 32 parts, each of which is a table in a table.
Result<toml::table> read_toml(const std::string& path, const std::string& hint);

}  // namespace assay
