// Files that are complete or not there at all.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/error.h"

namespace assay {

// Writes `text` to `path` by way of ".<name>.partial" beside it, which is synced and renamed: a reader, a full disk or
// a killed process never sees half a file; a device or a pipe is written to instead. An older file at `path` stays as
// it was when this fails. The error names the file and the reason.
Result<void> write_file(const std::string& path, std::string_view text);

// The error for a system call on `path` that failed with `error` (an errno value).
Error write_error(const std::string& path, int error);

}  // namespace assay
