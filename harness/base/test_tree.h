// The project's own text, for the tests that hold the rules of the house.
//
// Each rule is a function from a file to complaints "file:line: X is banned, use Y". A test runs it on the tree and on
// a canary that breaks it, so that a rule which no longer sees anything fails.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/test_style_rules.h"

namespace assay::style {

using Complaints = std::vector<std::string>;

struct File {
  std::string path;  // from the repository's root
  std::vector<std::string> lines;
};

inline bool is_cpp(const File& file) {
  for (const char* suffix : {".h", ".cpp", ".cu", ".cuh"})
    if (file.path.ends_with(suffix)) return true;
  return false;
}
inline bool is_markdown(const File& file) { return file.path.ends_with(".md"); }

// Tests and their support: known by their names, or by a folder that holds nothing else.
inline bool is_test(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.ends_with("_test.cpp") || name.starts_with("test_") || path.starts_with("harness/selftest/") ||
         path.starts_with("harness/simt/tests/");
}

inline File read(const std::filesystem::path& root, const std::filesystem::path& path) {
  File file{path.lexically_relative(root).generic_string(), {}};
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  return file;
}

// The files that runs write below reports/, which git ignores.
inline bool is_written_by_runs(const std::string& path) {
  return path.starts_with("reports/") && !path.starts_with("reports/template/") && path != "reports/README.md";
}

// Sources, documents, CMake files and scripts, sorted by path.
inline std::vector<File> read_project() {
  const std::filesystem::path root = ASSAY_SOURCE_DIR;
  std::vector<File> files;
  for (const std::string_view name : kTopFiles) files.push_back(read(root, root / name));
  for (const std::string_view folder : kFolders)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string path = entry.path().lexically_relative(root).generic_string();
      if (entry.is_regular_file() && entry.path().extension() != ".png" && !is_written_by_runs(path))
        files.push_back(read(root, entry.path()));
    }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

inline const std::vector<File>& project() {
  static const std::vector<File> kFiles = read_project();
  return kFiles;
}

inline std::string at(const File& file, size_t line) { return file.path + ":" + std::to_string(line + 1) + ": "; }

inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether `text` stands in `line` as a word of its own.
inline bool has_word(std::string_view line, std::string_view text) {
  for (size_t from = line.find(text); from != std::string_view::npos; from = line.find(text, from + 1)) {
    const bool goes_back = from > 0 && is_word(line[from - 1]) && is_word(text.front());
    const size_t end = from + text.size();
    const bool goes_on = end < line.size() && is_word(line[end]) && is_word(text.back());
    if (!goes_back && !goes_on) return true;
  }
  return false;
}

// The words between backticks.
inline std::vector<std::string> in_backticks(std::string_view line) {
  std::vector<std::string> all;
  for (size_t open = line.find('`'); open != std::string_view::npos;) {
    const size_t close = line.find('`', open + 1);
    if (close == std::string_view::npos) break;
    all.emplace_back(line.substr(open + 1, close - open - 1));
    open = line.find('`', close + 1);
  }
  return all;
}

template <class Check>
Complaints over_project(Check check) {
  Complaints complaints;
  EXPECT_GT(project().size(), 50u) << "where is the project?";
  for (const File& file : project()) check(file, complaints);
  return complaints;
}

template <class Check>
Complaints of_canary(std::string path, std::vector<std::string> lines, Check check) {
  Complaints complaints;
  check(File{std::move(path), std::move(lines)}, complaints);
  return complaints;
}

MATCHER(AreNone, "") {
  for (const std::string& complaint : arg) *result_listener << "\n" << complaint;
  return arg.empty();
}

}  // namespace assay::style
