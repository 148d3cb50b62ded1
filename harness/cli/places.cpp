// A folder is tried by making it and a file in it, and by removing what was made.
#include "harness/cli/places.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "harness/base/write_file.h"
#include "harness/history/history.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The error names `option`, which gave the folder. An empty path is no folder, and none is tried.
Result<void> try_folder(const std::string& folder, const std::string& option) {
  if (folder.empty()) return {};
  std::error_code error;
  std::vector<fs::path> made;
  for (fs::path each = fs::absolute(folder + "/.").parent_path(); !fs::exists(each, error) && each.has_relative_path();
       each = each.parent_path())
    made.push_back(each);
  fs::create_directories(folder, error);
  int reason = error.value();
  if (reason == 0) {
    std::string probe = folder + "/.assay-XXXXXX";
    const int file = mkstemp(probe.data());
    if (file < 0) {
      reason = errno;
    } else {
      close(file);
      unlink(probe.c_str());
    }
  }
  for (const fs::path& each : made) fs::remove(each, error);
  if (reason == 0) return {};
  return fail(write_error(folder, reason).what, "choose another folder with " + option);
}

// A folder that a run wrote, or a file of its rows.
Result<void> try_run(const std::string& path, const std::string& option) {
  std::error_code none;
  if (fs::exists(path, none)) return {};
  return fail(fmt::format("there is no run in '{}'", path), "name a folder that a run wrote" + option);
}

}  // namespace

Result<void> try_places(const CheckArguments& arguments) {
  if (!arguments.resume.empty()) ASSAY_TRY(try_run(arguments.resume, " after --resume"));
  if (!arguments.save) return {};
  return arguments.save_to.empty() ? try_folder(arguments.regressions, "--regressions")
                                   : try_folder(arguments.save_to, "--save-to");
}

Result<void> try_places(const MergeArguments& arguments) {
  for (const std::string& run : arguments.runs) ASSAY_TRY(try_run(run, ""));
  return try_folder(arguments.save_to, "--save-to");
}

Result<void> try_places(const NightlyArguments& arguments) {
  const std::string file = arguments.history.empty() ? history::kDefaultPath : arguments.history;
  std::error_code none;
  if (fs::is_directory(file, none)) return fail(fmt::format("'{}' is a folder", file), "name a file with --db");
  return try_folder(fs::path(file).parent_path().string(), "--db");
}

Result<void> try_places(const BenchArguments& arguments) {
  return arguments.resume.empty() ? Result<void>() : try_run(arguments.resume, " after --resume");
}

}  // namespace assay
