// By the numbers of CUjit_option.
#include "harness/program/driver/jit_options.h"

namespace assay::program {

void answer_jit_options(unsigned count, const int* options, void** values) {
  constexpr int kWallTime = 2, kInfoLog = 3, kInfoLogBytes = 4, kErrorLog = 5, kErrorLogBytes = 6;
  for (unsigned i = 0; i < count; ++i) {
    const bool is_log = options[i] == kInfoLog || options[i] == kErrorLog;
    if (is_log && values[i] != nullptr) *static_cast<char*>(values[i]) = '\0';
    // These two are given in the pointer's own place.
    if (options[i] == kInfoLogBytes || options[i] == kErrorLogBytes || options[i] == kWallTime) values[i] = nullptr;
  }
}

}  // namespace assay::program
