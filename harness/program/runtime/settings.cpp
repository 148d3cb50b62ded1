// The environment, read once.
#include "harness/program/runtime/settings.h"

#include <cstdlib>

namespace assay::program {
namespace {

std::string text(const char* name, const char* otherwise = "") {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

uint64_t number(const char* name, uint64_t otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

}  // namespace

const Settings& settings() {
  static const Settings& kSettings = *new Settings{.assay = text("ASSAY_RUN_COMPILER", "assay"),
                                                   .folder = text("ASSAY_RUN_FOLDER"),
                                                   .is_guest = number("ASSAY_RUN_GUEST", 0) != 0,
                                                   .tools = text("ASSAY_RUN_TOOLS"),
                                                   .log = text("ASSAY_RUN_LOG"),
                                                   .kernels = text("ASSAY_RUN_KERNELS"),
                                                   .stats = number("ASSAY_RUN_STATS", 0) != 0,
                                                   .every_launch = number("ASSAY_RUN_EVERY_LAUNCH", 0) != 0,
                                                   .schedule = number("ASSAY_RUN_SCHEDULE", 0),
                                                   .print_limit = number("ASSAY_RUN_PRINT_LIMIT", 100),
                                                   .capture = text("ASSAY_RUN_CAPTURE"),
                                                   .captures = number("ASSAY_RUN_CAPTURES", 1),
                                                   .capture_folder = text("ASSAY_RUN_CAPTURE_FOLDER"),
                                                   .skip = number("ASSAY_RUN_SKIP", 0),
                                                   .count = number("ASSAY_RUN_COUNT", ~uint64_t{0})};
  return kSettings;
}

}  // namespace assay::program
