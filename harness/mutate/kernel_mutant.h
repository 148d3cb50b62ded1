// One small bug that is planted in a kernel's file, as a replacement of some of its text.
#pragma once

#include <cstdint>
#include <string>

namespace assay {

struct KernelMutant {
  std::string kind = {};         // of assay_read's table: "barrier", "bound", …
  std::string file = {};         // as it was given
  int64_t offset = 0;            // in bytes, of what is replaced
  int64_t length = 0;            // in bytes; 0: only something is put in
  std::string replacement = {};  // may be empty
  std::string function = {};     // in whose body it is
  int line = 0;                  // from 1
};

// The file's text with the bug in it. Aborts where the mutant is of another text.
std::string mutated(const std::string& text, const KernelMutant& mutant);

// The bug as `diff -u` shows it, with three lines around it: "--- k.cu\n+++ k.cu (mutant)\n@@ -7,7 +7,7 @@\n…".
std::string unified_diff(const std::string& text, const KernelMutant& mutant);

// "k.cu:7 in softmax: barrier"
std::string title(const KernelMutant& mutant);

}  // namespace assay
