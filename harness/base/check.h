// Assertions that are always on, for what only a programmer can cause. They print the case line that was running.
#pragma once

#include <string>
#include <string_view>

namespace assay {

void set_current_case(std::string_view case_line);  // remembered for failed checks and for the crash handler
const char* current_case();                         // async-signal-safe; "" when no case is running

[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& message);

}  // namespace assay

#define ASSAY_CHECK(condition, message)                                                 \
  do {                                                                                  \
    if (!(condition)) ::assay::check_failed(__FILE__, __LINE__, #condition, (message)); \
  } while (false)
