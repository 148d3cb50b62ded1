// Assertions that are always on, for what only a programmer of the executor, or of the program around it, can cause.
#pragma once

#include <string>

#pragma GCC visibility push(default)
namespace assay::simt {

// Prints where and what, then aborts; first calls the handler, which may print more or abort in a way of its own.
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& message);

using CheckHandler = void (*)(const char* file, int line, const char* condition, const std::string& message);
void set_check_handler(CheckHandler handler);  // for the whole process; nullptr: none

}  // namespace assay::simt
#pragma GCC visibility pop

#define SIMT_CHECK(condition, message)                                                        \
  do {                                                                                        \
    if (!(condition)) ::assay::simt::check_failed(__FILE__, __LINE__, #condition, (message)); \
  } while (false)
