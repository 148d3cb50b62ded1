// The end of failed assertions of the executor.
#include "harness/simt/runtime/check.h"

#include <cstdio>
#include <cstdlib>

namespace assay::simt {
namespace {

CheckHandler check_handler = nullptr;

}  // namespace

void set_check_handler(CheckHandler handler) { check_handler = handler; }

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  if (check_handler != nullptr) check_handler(file, line, condition, message);
  std::fprintf(stderr, "simt: internal error at %s:%d: %s (%s)\n", file, line, message.c_str(), condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace assay::simt
