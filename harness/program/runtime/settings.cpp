// The environment, read once.
#include "harness/program/runtime/settings.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

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

const DeviceLimits& device(const std::string& word) {
  const auto named = std::ranges::find(kDevices, word, &DeviceLimits::word);
  return named == kDevices.end() ? kDevices[0] : *named;
}

namespace fs = std::filesystem;

// A program that `assay c++` has built also runs by itself. Then the compiler is beside this library, or in the bin/ of
// its installation, and files go to a folder of their own, which is removed at the end.
std::string compiler_beside() {
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&text), &own);
  const fs::path folder = fs::path(own.dli_fname).parent_path();
  for (const fs::path& path : {folder / "assay", folder.parent_path().parent_path() / "bin/assay"})
    if (std::error_code none; fs::exists(path, none)) return path.string();
  return "assay";
}
std::string own_folder() {
  static std::string& path = *new std::string(text("TMPDIR", "/tmp") + "/assay-program-XXXXXX");
  if (mkdtemp(path.data()) == nullptr) return "/tmp";
  std::atexit([] {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  });
  return path;
}

}  // namespace

const Settings& settings() {
  const bool is_under_run = std::getenv("ASSAY_RUN_FOLDER") != nullptr;
  static const Settings& kSettings =
      *new Settings{.assay = is_under_run ? text("ASSAY_RUN_COMPILER") : compiler_beside(),
                    .folder = is_under_run ? text("ASSAY_RUN_FOLDER") : own_folder(),
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
                    .device = device(text("ASSAY_RUN_AS")),
                    .skip = number("ASSAY_RUN_SKIP", 0),
                    .count = number("ASSAY_RUN_COUNT", ~uint64_t{0})};
  return kSettings;
}

}  // namespace assay::program
