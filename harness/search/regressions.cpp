// Reading and writing .case files.
#include "harness/search/regressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/base/rng.h"
#include "harness/base/write_file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// File systems take names of 255 bytes; the hash tells cases apart.
constexpr size_t kNameMax = 80;

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
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
  std::vector<std::string> paths;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    if (entry.path().extension() == ".case") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<SavedCase> all;
  for (const std::string& path : paths) {
    const auto cases = read_case_file(path);
    if (!cases) return tl::unexpected(cases.error());
    all.insert(all.end(), cases->begin(), cases->end());
  }
  return all;
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
