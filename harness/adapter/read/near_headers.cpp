// Looking in usual places first: a whole repository may be large.
#include "harness/adapter/read/near_headers.h"

#include <algorithm>

#include "harness/adapter/read/files_that_launch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr int kFoldersUp = 3;  // of a file in no repository, its own with them

// The folder of a repository from which `header` is there and that has most of `from`'s path; none where two have as
// much.
std::optional<std::string> folder_below(const fs::path& root, const std::string& header, const fs::path& from) {
  constexpr int kEntriesMost = 20000;
  const std::string ending = "/" + header;
  std::error_code none;
  std::optional<std::string> found;
  std::ptrdiff_t shared = -1;
  bool is_only = true;
  int entries = 0;
  for (fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, none), end; at != end;
       at.increment(none)) {
    if (++entries > kEntriesMost) return std::nullopt;
    if (at->path().filename().native().starts_with(".")) at.disable_recursion_pending();
    const std::string& path = at->path().native();
    if (!path.ends_with(ending) || !at->is_regular_file(none)) continue;
    const fs::path folder = path.substr(0, path.size() - ending.size());
    const auto parts = std::distance(folder.begin(), std::ranges::mismatch(folder, from).in1);
    if (parts < shared) continue;
    is_only = parts > shared;
    shared = parts;
    found = folder.string();
  }
  return is_only ? found : std::nullopt;
}

}  // namespace

std::optional<std::string> folder_near(const std::string& header, const fs::path& from) {
  std::error_code none;
  const bool is_in_one = is_in_repository(from.parent_path());
  int left = kFoldersUp;
  for (fs::path folder = from.parent_path(); folder.has_relative_path() && (is_in_one || left-- > 0);
       folder = folder.parent_path()) {
    for (const char* usual : {"include", "includes", "inc", "common", "src", "csrc", "utils", "."})
      if (fs::is_regular_file(folder / usual / header, none)) return (folder / usual).lexically_normal().string();
    if (is_in_one && fs::exists(folder / ".git", none)) return folder_below(folder, header, from.parent_path());
  }
  return std::nullopt;
}

}  // namespace assay
