// The house style as an ordinary test: words, names, and how files look.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/test_tree.h"
#include "harness/op/registry.h"

namespace assay::style {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void banned_words(const File& file, Complaints& complaints) {
  if (file.path == "harness/base/test_style_rules.h" || file.path == "harness/base/style_test.cpp") return;
  for (const Ban& ban : kBans) {
    if (file.path.find(ban.where) == std::string::npos) continue;
    std::istringstream excepted{std::string(ban.except)};
    if (std::any_of(std::istream_iterator<std::string>(excepted), {},
                    [&](const std::string& word) { return file.path.find(word) != std::string::npos; }))
      continue;
    for (size_t i = 0; i < file.lines.size(); ++i)
      if (has_word(file.lines[i], ban.text))
        complaints.push_back(at(file, i) + std::string(ban.text) + " is banned, use " + std::string(ban.use));
  }
}

// Code (comments aside) of the harness that spells an op's name.
void ops_by_name(const File& file, const std::vector<std::string>& names, Complaints& complaints) {
  const auto excused = [&](const NamesOps& allowed) { return file.path.starts_with(allowed.path); };
  if (!file.path.starts_with("harness/") || is_test(file.path) || !is_cpp(file)) return;
  if (std::any_of(kNamesOps.begin(), kNamesOps.end(), excused)) return;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view code = std::string_view(file.lines[i]).substr(0, file.lines[i].find("//"));
    for (const std::string& name : names)
      if (has_word(code, name))
        complaints.push_back(at(file, i) + name + " is banned, use the contract: the harness knows no op by name");
  }
}

void opening_sentence(const File& file, Complaints& complaints) {
  if (is_cpp(file) && (file.lines.empty() || !file.lines[0].starts_with("//")))
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

TEST(Style, NoBannedWords) {
  EXPECT_THAT(over_project(banned_words), AreNone());
  for (const Ban& ban : kBans) {
    const std::string where(ban.where);
    const std::string path =
        where.starts_with(".") ? "harness/x" + where : (where.empty() ? "harness/" : where) + "x.cpp";
    EXPECT_THAT(of_canary(path, {"  " + std::string(ban.text) + " x"}, banned_words), Not(IsEmpty())) << ban.text;
  }
  EXPECT_THAT(of_canary("harness/x_test.cpp", {"#include <regex>"}, banned_words), IsEmpty());
  EXPECT_THAT(of_canary("harness/x.cpp", {"static_assert(true); int operand() ;"}, banned_words), IsEmpty());
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
