// How a project's own build compiles a file, from the compile_commands.json that CMake, Meson and Bear write.
#pragma once

#include <string>

#include "harness/adapter/adapter.h"

namespace assay {

// `options` with what the build that they name (-p: a build folder, a configure preset of the project's
// CMakePresets.json whose folder it is, or the file itself) says of the file `path`:
// folders, macros, the architecture, and those of nvcc's options that change what a kernel computes. Options of
// `options` themselves go first. Without a build they stay as they are. Errors: no compile_commands.json, no text that
// can be read as one, no command for the file.
Result<CompileOptions> with_build(CompileOptions options, const std::string& path);

}  // namespace assay
