// The command line of nvcc, as far as programs' builds use it, as data.
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay::cxx {

using Words = std::vector<std::string>;

enum class Stage { preprocess, dependencies, compile, module, device_link, link };  // module: -fatbin

struct Options {
  Stage stage = Stage::link;
  std::string output;        // "": by the file's name, or a.out
  std::string language;      // of -x, which holds for all files; "": by their names
  std::string standard;      // "-std=…" of the host compiler; "": its own
  Words files;               // to compile
  Words to_link;             // objects, archives and -l, in their order, with files to compile among them
  Words preprocess;          // -I, -D and their like, for host and device
  Words host;                // the host compiler's own options
  Words linker;              // where libraries are, and the linker's own options
  Words dependencies;        // -MD, -MF FILE and their like
  bool relocatable = false;  // device code is linked with that of other files
  bool shared = false;
  bool shows_version = false;
  bool is_verbose = false;  // says what CMake asks nvcc for
};

// Errors: an option that nvcc does not have either, or one for what is not made here (PTX, machine code).
Result<Options> options_of(const Words& words);

bool is_cuda_file(const std::string& path, const Options& options);

}  // namespace assay::cxx
