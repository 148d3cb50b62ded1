// Finishes a kernel file between compiler and assembler: assembly in, assembly out.
//
// The steps, in this order: symbols.h, shared_memory.h, constant_memory.h, launch_bounds.h, stack_needs.h; and at the
// end of the file go the tables that the executor reads of a module (simt/module.h).
#pragma once

#include <string>
#include <string_view>

namespace assay::simt::finish {

struct Options {
  bool checked = false;       // gaps behind shared arrays, and a table of them
  bool hook_copies = false;   // memcpy and its like become the hooks': clang copies structs by them
  bool prove_stacks = false;  // of g++ on x86-64
};

struct Finished {
  std::string text;
  std::string error;  // what is not understood; then there is no text
};

Finished finish(std::string_view assembly, const Options& options);

}  // namespace assay::simt::finish
