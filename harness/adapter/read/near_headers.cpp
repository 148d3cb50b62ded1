// Looking in usual places first: a whole repository may be large.
#include "harness/adapter/read/near_headers.h"

#include "harness/adapter/read/files_that_launch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The only folder of a repository from which `header` is there, if there is one.
std::optional<std::string> folder_below(const fs::path& root, const std::string& header) {
  constexpr int kEntriesMost = 20000;
  const std::string ending = "/" + header;
  std::error_code none;
  std::optional<std::string> found;
  int entries = 0;
  for (fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, none), end; at != end;
       at.increment(none)) {
    if (++entries > kEntriesMost) return std::nullopt;
    if (at->path().filename().native().starts_with(".")) at.disable_recursion_pending();
    const std::string& path = at->path().native();
    if (!path.ends_with(ending) || !at->is_regular_file(none)) continue;
    if (found) return std::nullopt;
    found = path.substr(0, path.size() - ending.size());
  }
  return found;
}

}  // namespace

std::optional<std::string> folder_near(const std::string& header, const fs::path& from) {
  std::error_code none;
  const bool goes_up = is_in_repository(from.parent_path());
  for (fs::path folder = from.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    for (const char* usual : {"include", "inc", "common", "src", "csrc", "utils", "."})
      if (fs::is_regular_file(folder / usual / header, none)) return (folder / usual).lexically_normal().string();
    if (goes_up && fs::exists(folder / ".git", none)) return folder_below(folder, header);
    if (!goes_up) break;
  }
  return std::nullopt;
}

}  // namespace assay
