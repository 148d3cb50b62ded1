// Reading and writing .case files.
#include "harness/search/regressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/base/rng.h"
#include "harness/base/write_file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// File systems take names of 255 bytes; the hash distinguishes cases.
constexpr size_t kNameMax = 80;

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::vector<std::string> case_files(const std::string& directory) {
  std::vector<std::string> paths;
  std::error_code ignored;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(directory, options, ignored), end; at != end; at.increment(ignored))
    if (at->path().extension() == ".case") paths.push_back(at->path().string());
  std::ranges::sort(paths);
  return paths;
}

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(fmt::format("cannot read {}: {}", path, std::strerror(errno)), "give a readable .case file");
  std::stringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace

Result<std::vector<SavedCase>> read_case_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return fail(fmt::format("cannot read {}: {}", path, std::strerror(errno)), "give a readable .case file");
  std::vector<SavedCase> cases;
  for (std::string line; std::getline(file, line);) {
    line = line.substr(0, line.find('#'));
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    cases.push_back({path, line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin)});
  }
  return cases;
}

Result<std::vector<SavedCase>> read_regressions(const std::string& directory) {
  std::vector<SavedCase> all;
  for (const std::string& path : case_files(directory)) {
    const auto cases = ASSAY_TRY(read_case_file(path));
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

constexpr const char* kOfFiles = "assay_regressions";

std::string regressions_of(const std::string& file) {
  const fs::path path = fs::absolute(file);
  return (path.parent_path() / kOfFiles / path.filename()).string();
}

std::string file_of_saved(const std::string& path) {
  if (path.empty()) return "";
  fs::path folder = fs::absolute(path).parent_path();
  if (folder.filename() == "fixed") folder = folder.parent_path();
  const fs::path all = folder.parent_path(), file = all.parent_path() / folder.filename();
  std::error_code none;
  return all.filename() == kOfFiles && fs::is_regular_file(file, none) ? file.string() : "";
}

std::string fixed_folder(const std::string& regressions) {
  const fs::path folder = fs::path(regressions + "/.").parent_path();  // without slashes at the end
  return (folder.filename() == "regressions" ? folder.parent_path() / "fixed" : folder / "fixed").string();
}

Result<std::vector<SavedCase>> read_saved(const std::vector<std::string>& folders) {
  std::vector<SavedCase> all, repaired;
  for (const std::string& folder : folders) {
    const std::string fixed = fixed_folder(folder);
    auto here = read_regressions(folder), beside = read_regressions(fixed);
    if (!here || !beside) return !here ? here : beside;
    for (SavedCase& saved : *here)
      if (!saved.path.starts_with(fixed + "/")) all.push_back(std::move(saved));
    repaired.insert(repaired.end(), beside->begin(), beside->end());
  }
  all.insert(all.end(), repaired.begin(), repaired.end());
  return all;
}

Result<std::string> move_to_fixed(const std::string& path) {
  const std::string folder = fixed_folder(fs::path(path).parent_path().string());
  const std::string to = (fs::path(folder) / fs::path(path).filename()).string();
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && fs::exists(to, error)) {
    const auto here = read_text(path), there = read_text(to);
    if (!here || !there || *here != *there)
      return fail(fmt::format("{} is there already, and says something else", to), "move or remove one of the two");
  }
  fs::rename(path, to, error);
  if (error) return tl::unexpected(write_error(to, error.value()));
  return to;
}

Result<std::string> regressions_patch(const std::string& directory, const FolderOf& target) {
  std::string patch;
  for (const std::string& path : case_files(directory)) {
    const auto text = ASSAY_TRY(read_text(path));
    const auto cases = read_case_file(path);
    const std::string first = cases && !cases->empty() ? cases->front().line : "";
    const std::string to = target(first.substr(0, first.find(' ')));
    if (to.empty()) continue;
    const std::string name = fs::path(path).filename().string();
    const auto lines = std::ranges::count(text, '\n') + (text.ends_with('\n') ? 0 : 1);
    patch +=
        fmt::format("diff --git a/{0}/{1} b/{0}/{1}\nnew file mode 100644\n--- /dev/null\n+++ b/{0}/{1}\n", to, name);
    patch += fmt::format("@@ -0,0 +1,{} @@\n", lines);
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) patch += "+" + line + "\n";
    if (!text.ends_with('\n')) patch += "\\ No newline at end of file\n";
  }
  return patch;
}

Result<std::string> save_regression(const ResultRow& row, const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  const uint64_t hash = Rng::stream(0, row.line()).next();
  const std::string path = fmt::format("{}/{}.{}.{}.{:08x}.case", directory, row.c.op.substr(0, kNameMax),
                                       row.c.variant.substr(0, kNameMax), name(row.c.dtype), hash >> 32);
  const auto written =
      write_file(path, fmt::format("# {}: {}\n{}\n", name(row.verdict), one_line(row.detail), row.line()));
  if (!written) return fail(written.error().what, "choose another --regressions");
  return path;
}

}  // namespace assay
