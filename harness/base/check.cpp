// The end of failed checks: one message with the running case, then abort, so that the worker's parent sees a crash.
#include "harness/base/check.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace assay {
namespace {

std::array<char, 1024> g_current_case{};

}  // namespace

void set_current_case(std::string_view case_line) {
  const size_t length = std::min(case_line.size(), g_current_case.size() - 1);
  std::memcpy(g_current_case.data(), case_line.data(), length);
  g_current_case[length] = '\0';
}

const char* current_case() { return g_current_case.data(); }

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  std::fprintf(stderr, "assay: internal error at %s:%d: %s (%s)%s%s\n", file, line, message.c_str(), condition,
               *current_case() ? "; case: " : "", current_case());
  std::fflush(stderr);
  std::abort();
}

}  // namespace assay
