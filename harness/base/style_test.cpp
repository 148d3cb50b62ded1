// The house style as an ordinary test: each finding reads "file:line: X is banned, use Y".
//
// Every check runs on the tree and on a canary that breaks the rule, so that a check that no longer sees anything
// fails.
#include "harness/base/style_rules.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "harness/op/registry.h"

namespace assay::style {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Complaints = std::vector<std::string>;

struct File {
  std::string path;  // from the repository's root
  std::vector<std::string> lines;
};

bool has_suffix(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}
bool begins(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }
bool is_cpp(const File& file) {
  for (const char* suffix : {".h", ".cpp", ".cu", ".cuh"})
    if (has_suffix(file.path, suffix)) return true;
  return false;
}
bool is_test(const File& file) { return has_suffix(file.path, "_test.cpp"); }

File read(const fs::path& root, const fs::path& path) {
  File file{fs::relative(path, root).generic_string(), {}};
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  return file;
}

// The project's own text: sources, CMake files and scripts, without what runs leave behind.
std::vector<File> project_files() {
  const fs::path root = ASSAY_SOURCE_DIR;
  std::vector<File> files;
  for (const std::string_view folder : kFolders)
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      const bool text = entry.path().extension() != ".png" && entry.is_regular_file();
      if (text && (folder != "reports" || begins(path, "reports/template"))) files.push_back(read(root, entry.path()));
    }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

std::string at(const File& file, size_t line) { return file.path + ":" + std::to_string(line + 1) + ": "; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Whether `text` stands in `line` as a word of its own.
bool has_word(std::string_view line, std::string_view text) {
  for (size_t from = line.find(text); from != std::string_view::npos; from = line.find(text, from + 1)) {
    const bool begins_word = from > 0 && is_word(line[from - 1]) && is_word(text.front());
    const size_t end = from + text.size();
    const bool goes_on = end < line.size() && is_word(line[end]) && is_word(text.back());
    if (!begins_word && !goes_on) return true;
  }
  return false;
}

void banned_words(const File& file, Complaints& complaints) {
  if (file.path == "harness/base/style_rules.h" || file.path == "harness/base/style_test.cpp") return;
  for (const Ban& ban : kBans) {
    if (file.path.find(ban.where) == std::string::npos) continue;
    for (size_t i = 0; i < file.lines.size(); ++i)
      if (has_word(file.lines[i], ban.text))
        complaints.push_back(at(file, i) + std::string(ban.text) + " is banned, use " + std::string(ban.use));
  }
}

// The layer of "harness/<layer>/…"; nothing for other paths.
std::optional<size_t> layer_of(std::string_view path) {
  if (!begins(path, "harness/")) return std::nullopt;
  path.remove_prefix(8);
  const auto found = std::find(kLayers.begin(), kLayers.end(), path.substr(0, path.find('/')));
  return found == kLayers.end() ? std::nullopt : std::optional(static_cast<size_t>(found - kLayers.begin()));
}

void rightward_includes(const File& file, Complaints& complaints) {
  const auto own = layer_of(file.path);
  if (!own || is_test(file)) return;  // tests may use whatever they need
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view line = file.lines[i];
    const size_t quote = line.find('"');
    if (!begins(line, "#include \"")) continue;
    const std::string_view include = line.substr(quote + 1, line.find('"', quote + 1) - quote - 1);
    const auto layer = layer_of(include);
    const auto excused = [&](const RightwardInclude& r) { return r.file == file.path && r.include == include; };
    if (!layer || *layer <= *own || std::any_of(kRightwardIncludes.begin(), kRightwardIncludes.end(), excused))
      continue;
    complaints.push_back(at(file, i) + "including " + std::string(include) + " is banned, use an interface of " +
                         std::string(kLayers[*own]) + ": " + std::string(kLayers[*layer]) + " comes later");
  }
}

// Code (comments aside) of the harness that spells an op's name.
void ops_by_name(const File& file, const std::vector<std::string>& names, Complaints& complaints) {
  const auto excused = [&](const NamesOps& allowed) { return begins(file.path, allowed.path); };
  if (!begins(file.path, "harness/") || is_test(file) || !is_cpp(file)) return;
  if (std::any_of(kNamesOps.begin(), kNamesOps.end(), excused)) return;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view code = std::string_view(file.lines[i]).substr(0, file.lines[i].find("//"));
    for (const std::string& name : names)
      if (has_word(code, name))
        complaints.push_back(at(file, i) + name + " is banned, use the contract: the harness knows no op by name");
  }
}

void opening_sentence(const File& file, Complaints& complaints) {
  if (is_cpp(file) && (file.lines.empty() || !begins(file.lines[0], "//")))
    complaints.push_back(file.path + ":1: starting with code is banned, use a sentence that says what the file is");
}

void file_length(const File& file, Complaints& complaints) {
  const auto lines = static_cast<int>(file.lines.size());
  if (!is_cpp(file) || lines <= kLinesLong) return;
  const std::string says = file.path + ": a file of " + std::to_string(lines) + " lines";
  if (lines > kLinesMax)
    complaints.push_back(says + " is banned, use one file per idea, of at most " + std::to_string(kLinesMax));
  else
    std::printf("%s: look whether it wants splitting\n", says.c_str());
}

void readme(const fs::path& root, std::string_view folder, Complaints& complaints) {
  if (!fs::exists(root / folder / "README.md"))
    complaints.push_back(std::string(folder) +
                         "/: a folder without README.md is banned, use a screen that says what is here");
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const Contract& op : all_ops()) names.push_back(op.name);
  return names;
}

template <class Check>
Complaints over_project(Check check) {
  Complaints complaints;
  const std::vector<File> files = project_files();
  EXPECT_GT(files.size(), 50u) << "where is the project?";
  for (const File& file : files) check(file, complaints);
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

TEST(Style, NoBannedWords) {
  EXPECT_THAT(over_project(banned_words), AreNone());
  for (const Ban& ban : kBans) {
    const std::string path = "harness/x" + std::string(ban.where.empty() ? ".cpp" : ban.where);
    EXPECT_THAT(of_canary(path, {"  " + std::string(ban.text) + " x"}, banned_words), Not(IsEmpty())) << ban.text;
  }
  EXPECT_THAT(of_canary("harness/x.cpp", {"static_assert(true); int operand() ;"}, banned_words), IsEmpty());
}

TEST(Style, IncludesGoLeftwards) {
  EXPECT_THAT(over_project(rightward_includes), AreNone());
  EXPECT_THAT(of_canary("harness/op/x.h", {"", "#include \"harness/judge/judge.h\""}, rightward_includes),
              ElementsAre(HasSubstr("harness/op/x.h:2: including harness/judge/judge.h is banned, use")));
  EXPECT_THAT(of_canary("harness/judge/x.h", {"#include \"harness/op/contract.h\""}, rightward_includes), IsEmpty());
}

TEST(Style, TheHarnessKnowsNoOpByName) {
  const std::vector<std::string> names = op_names();
  const auto check = [&](const File& file, Complaints& complaints) { ops_by_name(file, names, complaints); };
  EXPECT_FALSE(names.empty());
  EXPECT_THAT(over_project(check), AreNone());
  const std::string name = names.empty() ? "" : names[0];
  EXPECT_THAT(of_canary("harness/judge/x.cpp", {"if (op == \"" + name + "\")"}, check), Not(IsEmpty()));
  EXPECT_THAT(of_canary("harness/judge/x.cpp", {"// such as " + name}, check), IsEmpty());
}

TEST(Style, FilesOpenWithASentence) {
  EXPECT_THAT(over_project(opening_sentence), AreNone());
  EXPECT_THAT(of_canary("harness/x.h", {"#pragma once"}, opening_sentence), Not(IsEmpty()));
}

TEST(Style, FilesAreShort) {
  EXPECT_THAT(over_project(file_length), AreNone());
  EXPECT_THAT(of_canary("harness/x.h", std::vector<std::string>(kLinesMax + 1), file_length), Not(IsEmpty()));
}

TEST(Style, TopFoldersHaveAReadme) {
  Complaints complaints;
  for (const std::string_view folder : kFolders) readme(ASSAY_SOURCE_DIR, folder, complaints);
  EXPECT_THAT(complaints, AreNone());
  readme(ASSAY_SOURCE_DIR, "harness/base", complaints);
  EXPECT_THAT(complaints, Not(IsEmpty())) << "the canary";
}

}  // namespace
}  // namespace assay::style
