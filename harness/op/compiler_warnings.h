// Warnings of the host compiler for the file of a user's variant. One may well be the reason of a wrong result, so the
// judge quotes what fits (judge/compiler_warnings.cpp).
//
// The compiler has warned when its work is done. So its words are put into the module that it makes, as a string that
// the variant's registration hands over, and come along to every process that loads the module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/op/variant.h"

namespace assay {

struct CompilerWarning {
  std::string place;   // "FILE.cu:12", with the path that the compiler had
  std::string text;    // "'sum' may be used uninitialized"
  std::string option;  // "-Wmaybe-uninitialized"

  bool operator==(const CompilerWarning&) const = default;
};

// The warnings in a compiler's output, each once: g++'s and clang's form.
std::vector<CompilerWarning> warnings_in(std::string_view output);

// A line each, in that form again.
std::string print(const std::vector<CompilerWarning>& warnings);

// Those of a variant of this build; the variant's own constructor runs later, or never.
void note_compiler_warnings(std::string_view op, std::string_view variant, std::string_view device,
                            std::string_view lines);
const std::vector<CompilerWarning>& compiler_warnings(const Variant& variant);

struct RegisterWarnings {
  RegisterWarnings(const char* op, const char* variant, const char* lines) {
#if defined(ASSAY_CPU_CHECKED)
    note_compiler_warnings(op, variant, "cpu-checked", lines);
#else
    note_compiler_warnings(op, variant, "cpu", lines);
#endif
  }
};

}  // namespace assay
