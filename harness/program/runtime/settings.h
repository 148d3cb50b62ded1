// The options of `assay run`, which reach the program's process by environment variables.
#pragma once

#include <cstdint>
#include <string>

#include "harness/program/device_limits.h"

namespace assay::program {

struct Settings {
  std::string assay;           // the program that compiles kernels (ASSAY_RUN_COMPILER)
  std::string folder;          // where findings and counts go (ASSAY_RUN_FOLDER)
  bool is_guest = false;       // in a process of Assay's own, for a user's library (ASSAY_RUN_GUEST; guest_library.h)
  std::string tools;           // "memcheck racecheck initcheck synccheck"; "": kernels run unchecked (ASSAY_RUN_TOOLS)
  std::string log;             // a file for findings; "": standard error (ASSAY_RUN_LOG)
  std::string kernels;         // a part of the names of the kernels that are checked; "": all (ASSAY_RUN_KERNELS)
  bool stats = false;          // counts accesses and instructions (ASSAY_RUN_STATS)
  bool every_launch = false;   // also those that would change nothing (ASSAY_RUN_EVERY_LAUNCH)
  uint64_t schedule = 0;       // ASSAY_RUN_SCHEDULE
  uint64_t print_limit = 100;  // findings that are printed (ASSAY_RUN_PRINT_LIMIT)
  std::string capture;         // a part of the names of kernels whose launches become files (ASSAY_RUN_CAPTURE)
  uint64_t captures = 1;       // how many of them (ASSAY_RUN_CAPTURES)
  std::string capture_folder;  // where (ASSAY_RUN_CAPTURE_FOLDER)
  const DeviceLimits& device = kDevices[0];  // what the program sees (ASSAY_RUN_AS)
  uint64_t skip = 0, count = ~uint64_t{0};   // launches that are not checked, and how many are (ASSAY_RUN_SKIP, _COUNT)
};

const Settings& settings();

}  // namespace assay::program
