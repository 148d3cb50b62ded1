// No list of a document names a thing twice: of two rows for one name, one is out of date.
#include <gmock/gmock.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "harness/base/test_tree.h"

namespace assay::style {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// The first column of a row: a cell of a table, or a term and two blanks or more before what it means.
std::optional<std::string> first_column(std::string_view line, bool in_block) {
  const bool is_table = line.starts_with("|");
  if (!is_table && !in_block) return std::nullopt;
  if (is_table) line.remove_prefix(1);
  const size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos || (!is_table && begin > 4)) return std::nullopt;  // it goes on with a row
  line.remove_prefix(begin);
  const size_t end = line.find(is_table ? "|" : "  ");
  if (end == std::string_view::npos || line.find_first_not_of(' ', end) == std::string_view::npos) return std::nullopt;
  return std::string(line.substr(0, line.find_last_not_of(' ', end - 1) + 1));
}

// Blocks of code in a language are not lists; indented ones, and those without a language, may be.
void doubled_rows(const File& file, Complaints& complaints) {
  if (!is_markdown(file)) return;
  std::set<std::string> seen;
  bool is_fenced = false, is_code = false;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const std::string& line = file.lines[i];
    if (line.starts_with("```")) {
      is_fenced = !is_fenced;
      is_code = is_fenced && line.size() > 3;
    }
    if (line.starts_with("```") || (line.empty() && !is_fenced)) seen.clear();
    const auto name = is_code ? std::nullopt : first_column(line, is_fenced || line.starts_with("    "));
    if (name && !seen.insert(*name).second)
      complaints.push_back(at(file, i) + "a second row for " + *name + " is banned, use one row for both");
  }
}

TEST(DoubledRows, NoListNamesAThingTwice) {
  EXPECT_THAT(over_project(doubled_rows), AreNone());
  const auto found = [](std::vector<std::string> lines) {
    return of_canary("harness/README.md", std::move(lines), doubled_rows);
  };
  EXPECT_THAT(found({"```", "a.h    one", "", "b.h    two", "a.h  three", "```"}), SizeIs(1));
  EXPECT_THAT(found({"    --a N    one", "             a.h  goes on", "    --a N    two"}), SizeIs(1));
  EXPECT_THAT(found({"| a | one |", "|---|-----|", "| b | two |", "| a | three |"}), SizeIs(1));
  EXPECT_THAT(found({"```", "a.h    one", "```", "```", "a.h    one", "```"}), IsEmpty()) << "two lists";
  EXPECT_THAT(found({"```console", "a    one", "a    two", "```", "a  text.", "a  text."}), IsEmpty()) << "no lists";
}

}  // namespace
}  // namespace assay::style
