// Dead references: every file, folder, link and heading that a comment or a document names must be there.
//
// A word names a file if it ends as a source file does, and a folder if it begins with one of the top level. Examples
// are known by their names (test_style_rules.h); blocks of a document show users' files, so they are left out.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/test_tree.h"

namespace assay::style {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::array<std::string_view, 13> kEndings{".h",    ".cpp", ".cu", ".cuh", ".md", ".cmake", ".inc",
                                                    ".toml", ".py",  ".sh", ".txt", ".js", ".awk"};

// All files, and all folders that hold one.
const std::set<std::string>& paths() {
  static const std::set<std::string> kPaths = [] {
    std::set<std::string> all;
    for (const File& file : project())
      for (std::filesystem::path path = file.path; !path.empty(); path = path.parent_path()) all.insert(path);
    return all;
  }();
  return kPaths;
}

// The path as it is read from the root or from the file's folder.
bool is_there(const File& from, const std::string& path) {
  const std::filesystem::path root = ASSAY_SOURCE_DIR;
  return std::filesystem::exists(root / path) ||
         std::filesystem::exists(root / std::filesystem::path(from.path).parent_path() / path);
}

bool is_file_name(std::string_view word) {
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view end) { return word.ends_with(end); });
}

// "kernels/rope" and "harness/op/contract.h", but not "cases/s".
bool is_below_top(std::string_view word) {
  return std::any_of(kFolders.begin(), kFolders.end(), [&](std::string_view top) {
    return word.starts_with(top) && word.size() > top.size() + 2 && word[top.size()] == '/';
  });
}

bool is_example(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (std::find(kExampleFiles.begin(), kExampleFiles.end(), name) != kExampleFiles.end()) return true;
  const bool has_capital = std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return name.starts_with("my_") || name.find('.') < 2 || (has_capital && !name.ends_with(".md"));
}

bool is_known(const File& from, const std::string& word) {
  if (is_there(from, word) || is_example(word) || is_written_by_runs(word)) return true;
  if (!is_file_name(word)) return false;
  return std::any_of(paths().begin(), paths().end(),
                     [&](const std::string& path) { return path.ends_with('/' + word); });
}

// The part of a line that is prose: a comment, or a document's text. `in_block` holds whether a document's block is
// open.
std::string_view prose(const File& file, std::string_view line, bool& in_block) {
  if (is_markdown(file)) {
    if (line.find("```") != std::string_view::npos) in_block = !in_block;
    return in_block ? std::string_view() : line;
  }
  const size_t begin = line.find(is_cpp(file) ? "//" : "#");
  const bool is_code = is_cpp(file) || file.path.starts_with("scripts/") || file.path.ends_with(".cmake") ||
                       file.path.ends_with("CMakeLists.txt");
  return begin == std::string_view::npos || !is_code ? std::string_view() : line.substr(begin);
}

void dead_names(const File& file, Complaints& complaints) {
  const auto is_part = [](char c) { return is_word(c) || c == '.' || c == '/' || c == '-'; };
  if (file.path == "harness/base/references_test.cpp") return;  // the canaries
  bool in_block = false;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string_view text = prose(file, file.lines[i], in_block);
    for (size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
      for (end = begin; end < text.size() && is_part(text[end]);) ++end;
      std::string word(text.substr(begin, end - begin));
      const bool is_cut = (begin > 0 && std::string_view("<>*{}$@:").find(text[begin - 1]) != std::string_view::npos) ||
                          (end < text.size() && std::string_view("<*{$(").find(text[end]) != std::string_view::npos);
      while (!word.empty() && (word.back() == '.' || word.back() == '/' || word.back() == '-')) word.pop_back();
      const bool is_name = is_file_name(word) && is_word(word[0]) && word[0] != '_';
      if (is_cut || !(is_name || is_below_top(word)) || is_known(file, word)) continue;
      complaints.push_back(at(file, i) + "naming " + word + " is banned, use a file or folder that is there");
    }
  }
}

// As GitHub names a heading: "## Your own op" is #your-own-op.
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char c : heading.substr(std::min(heading.size(), heading.find_first_not_of("# ")))) {
    if (c == ' ' || c == '-') anchor += '-';
    if (is_word(c)) anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return anchor;
}

bool has_heading(const File& document, const std::string& anchor) {
  return std::any_of(document.lines.begin(), document.lines.end(),
                     [&](const std::string& line) { return line.starts_with('#') && anchor_of(line) == anchor; });
}

void dead_links(const File& file, Complaints& complaints) {
  if (!is_markdown(file)) return;
  bool in_block = false;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string line(prose(file, file.lines[i], in_block));
    for (size_t open = line.find("]("); open != std::string::npos; open = line.find("](", open + 1)) {
      const std::string link = line.substr(open + 2, line.find(')', open) - open - 2);
      if (link.starts_with("http") || link.find(' ') != std::string::npos) continue;
      const size_t hash = link.find('#');
      const std::string path = link.substr(0, hash);
      const bool is_dead = !path.empty() && !is_there(file, path);
      const bool is_lost = path.empty() && hash == 0 && !has_heading(file, link.substr(1));
      if (is_dead || is_lost)
        complaints.push_back(at(file, i) + "a link to " + link + " is banned, use one that leads somewhere");
    }
  }
}

// Tables of files: where the first column is headed so, what it names lies beside the document.
void dead_rows(const File& file, Complaints& complaints) {
  if (!is_markdown(file)) return;
  const std::filesystem::path folder = std::filesystem::path(file.path).parent_path();
  bool is_listing = false;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string& line = file.lines[i];
    for (const char* heading : {"| folder |", "| file |", "| script |", "| path |"})
      is_listing |= line.starts_with(heading);
    if (!line.starts_with('|')) is_listing = false;
    if (!is_listing) continue;
    for (const std::string& name : in_backticks(line.substr(0, line.find('|', 1))))
      if (name.find('<') == std::string::npos && !std::filesystem::exists(ASSAY_SOURCE_DIR / folder / name) &&
          !is_written_by_runs((folder / name).generic_string()))
        complaints.push_back(at(file, i) + "listing " + name + " is banned, use what lies beside this document");
  }
}

TEST(References, NamesAreOfFilesThatAreThere) {
  EXPECT_THAT(over_project(dead_names), AreNone());
  const auto says = [](const std::string& line) { return of_canary("harness/op/x.cpp", {line}, dead_names); };
  EXPECT_THAT(
      says("int x;  // see harness/op/gone.h."),
      ElementsAre("harness/op/x.cpp:1: naming harness/op/gone.h is banned, use a file or folder that is there"));
  EXPECT_THAT(says("// gone.cpp does it"), SizeIs(1));
  EXPECT_THAT(says("// kernels/gone is where"), SizeIs(1));
  EXPECT_THAT(says("// contract.h, op/contract.h, harness/op, kernels/<op>/contract.h, *_test.cpp, my_kernel.cu"),
              IsEmpty());
  EXPECT_THAT(says("const char* path = \"gone.cpp\";"), IsEmpty());
  EXPECT_THAT(of_canary("README.md", {"`gone.md`", "```", "gone.cu", "```", "gone.cu"}, dead_names), SizeIs(2));
}

TEST(References, LinksLeadSomewhere) {
  EXPECT_THAT(over_project(dead_links), AreNone());
  EXPECT_THAT(
      of_canary("README.md", {"[a](gone.md) [b](#gone) [c](harness/README.md)", "## Here", "[d](#here)"}, dead_links),
      ElementsAre(HasSubstr("README.md:1: a link to gone.md"), HasSubstr("README.md:1: a link to #gone")));
}

TEST(References, TablesListWhatLiesBeside) {
  EXPECT_THAT(over_project(dead_rows), AreNone());
  EXPECT_THAT(of_canary("harness/README.md", {"| folder | holds |", "|---|---|", "| `base` | |", "| `gone` | `gone` |"},
                        dead_rows),
              ElementsAre(HasSubstr("harness/README.md:4: listing gone")));
}

}  // namespace
}  // namespace assay::style
