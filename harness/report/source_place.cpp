// Finding the lines, and reading them.
#include "harness/report/source_place.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "harness/base/scanner.h"
#include "harness/report/layout.h"
#include "harness/report/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr int kContext = 3;  // lines before and after
constexpr size_t kPlacesMax = 4;
constexpr size_t kLineMax = 200;                 // characters of a line: a file may be anything
constexpr std::uintmax_t kFileMax = 16u << 20u;  // bytes

std::vector<std::string> lines_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kFileMax) return {};
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(std::move(line));
  return lines;
}

// The name that a line declares as a kernel: the word before its parameters.
std::string_view declared(std::string_view line) {
  Scanner scan(line);
  if (!scan.skip_past("__global__")) return "";
  std::string_view name;
  while (!scan.at_end()) {
    const std::string_view word = scan.word();
    if (word == "__launch_bounds__") {
      if (!scan.skip_past(")")) return "";
      continue;
    }
    if (!word.empty()) name = word;
    if (scan.skip("(")) return name;
    if (word.empty()) scan.go_to(scan.at() + 1);
  }
  return name == "void" ? "" : name;
}

// The line at which the kernel of this name begins, else the first one; 0 if there is none.
int kernel_line(const std::string& path, const std::string& name) {
  const std::vector<std::string> lines = lines_of(path);
  int first = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto at = lines[i].find("__global__");
    if (at == std::string::npos || lines[i].find("//") < at) continue;
    std::string_view found = declared(lines[i]);
    if (found.empty() && i + 1 < lines.size()) found = Scanner(trimmed(lines[i + 1])).word();  // its name follows
    if (found == name) return static_cast<int>(i) + 1;
    if (first == 0) first = static_cast<int>(i) + 1;
  }
  return first;
}

// Findings name a file without its folder: the variant's own, or one beside it.
std::string path_of(const std::string& file, const std::string& source) {
  if (fs::path(source).filename() == file) return source;
  const fs::path beside = fs::path(source).parent_path() / file;
  std::error_code error;
  return !source.empty() && fs::exists(beside, error) ? beside.string() : file;
}

}  // namespace

std::vector<SourcePlace> source_places(const Cause& cause) {
  const ResultRow& row = *cause.rows.front();
  return source_places(cause.detail, row.origin.source, row.c.variant);
}

std::vector<SourcePlace> source_places(const std::string& detail, const std::string& source,
                                       const std::string& variant) {
  std::vector<SourcePlace> places;
  for (const SourceLine& line : source_lines(detail))
    places.push_back({path_of(line.file, source), std::stoi(line.line)});
  std::stable_partition(places.begin(), places.end(), [&](const SourcePlace& place) { return place.path == source; });
  if (places.size() > kPlacesMax) places.resize(kPlacesMax);
  if (places.empty() && !source.empty()) places.push_back({source, kernel_line(source, variant)});
  return places;
}

std::vector<Excerpt> excerpts(const std::vector<SourcePlace>& places) {
  std::map<std::string, std::vector<int>> marked;
  std::vector<std::string> paths;  // in the order of the places
  for (const SourcePlace& place : places) {
    if (place.line < 1) continue;
    if (!marked.contains(place.path)) paths.push_back(place.path);
    marked[place.path].push_back(place.line);
  }
  std::vector<Excerpt> all;
  for (const std::string& path : paths) {
    const std::vector<std::string> lines = lines_of(path);
    const int count = static_cast<int>(lines.size());
    std::sort(marked[path].begin(), marked[path].end());
    for (const int line : marked[path]) {
      if (line > count) continue;
      const bool near = !all.empty() && all.back().path == path && line <= all.back().marked.back() + 2 * kContext + 1;
      if (!near) all.push_back({path, std::max(1, line - kContext), {}, {}});
      Excerpt& excerpt = all.back();
      excerpt.marked.push_back(line);
      while (excerpt.first + static_cast<int>(excerpt.lines.size()) <= std::min(count, line + kContext))
        excerpt.lines.push_back(
            cut(printable(lines[static_cast<size_t>(excerpt.first) + excerpt.lines.size() - 1]), kLineMax));
    }
  }
  return all;
}

}  // namespace assay
