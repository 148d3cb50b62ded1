// Kernels in other people's styles, as their authors would hand them in: the flaw of each is found and shrunk, and the
// kernel passes with its .fix. The first lines of each file, and of a corrected one, say which; see README.md.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "harness/result/row_json.h"
#include "harness/selftest/as_found.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Scratch;
using testing::Contains;

struct AsFound {
  std::string name;
  bool corrected = false;
};

std::vector<std::string> words_after(const std::string& text, const std::string& mark) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex(mark + ": ([^.\n]*)"))) return {};
  std::istringstream words(found[1]);
  return {std::istream_iterator<std::string>(words), {}};
}

std::vector<AsFound> kernels_as_found() {
  std::vector<AsFound> all;
  for (const auto& entry : fs::directory_iterator(selftest::kAsFound)) {
    const std::string ending = entry.path().extension();
    if (ending == ".toml" || ending == ".fix" || entry.path().filename() == ".clang-format") continue;
    for (const bool corrected : {false, true}) all.push_back({entry.path().filename(), corrected});
  }
  std::ranges::sort(all, {}, &AsFound::name);
  return all;
}

std::string name_of_found(const AsFound& kernel) {
  return fs::path(kernel.name).stem().string() + (kernel.corrected ? "_fixed" : "_flawed");
}

void PrintTo(const AsFound& kernel, std::ostream* out) { *out << name_of_found(kernel); }

class AsFoundKernel : public selftest::OneInFour<testing::TestWithParam<AsFound>> {};

TEST_P(AsFoundKernel, IsJudgedRightly) {
  const Scratch scratch;
  const std::string file = selftest::take_as_found(GetParam().name, scratch.path, GetParam().corrected);
  const std::string text = selftest::read_text(file);
  const std::vector<std::string> expect = words_after(text, "EXPECT");
  ASSERT_FALSE(expect.empty()) << file << " needs a line EXPECT: VERDICT";
  const bool is_sound = expect.front() == "PASS";
  EXPECT_EQ(is_sound, GetParam().corrected);
  const auto check = selftest::run("assay", "check --source '" + file + "'" + selftest::small_suite(scratch) +
                                                "--cases 60 --seed 2 --case-limit 20s --shrink 20s --no-save"
                                                " --regressions " +
                                                scratch.path + "/saved --out " + scratch.path + "/out");
  std::vector<ResultRow> rows;
  std::ifstream results(scratch.path + "/out/results.jsonl");
  for (std::string line; std::getline(results, line);) rows.push_back(row_from_line(line).value());
  const auto passed =
      std::count_if(rows.begin(), rows.end(), [](const ResultRow& row) { return row.verdict == Kind::pass; });
  EXPECT_GE(passed, is_sound ? 40 : 1) << check.out << check.err;  // even a flawed kernel is right somewhere
  if (is_sound) {
    EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
    return;
  }
  EXPECT_EQ(check.exit_code, 1) << check.out << check.err;
  std::vector<std::string> smallest;
  for (const ResultRow& row : rows) {
    if (!is_failure(row.verdict) || row.verdict == Kind::mistrusted) continue;  // too little passes to trust
    EXPECT_THAT(expect, Contains(name(row.verdict))) << row.line() << ": " << row.detail;
    if (!row.shrunk_from.empty() && name(row.verdict) == expect.front()) smallest.push_back(row.line());
  }
  ASSERT_FALSE(smallest.empty()) << check.out << check.err;
  for (const std::string& part : words_after(text, "SMALLEST"))
    EXPECT_THAT(smallest, Contains(testing::HasSubstr(' ' + part + ' ')));
}

INSTANTIATE_TEST_SUITE_P(AsFound, AsFoundKernel, testing::ValuesIn(kernels_as_found()),
                         [](const auto& each) { return name_of_found(each.param); });

// An empty list would pass.
TEST(AsFound, ThereAreFourteenWithTheirCorrections) { EXPECT_EQ(kernels_as_found().size(), 28u); }

}  // namespace
}  // namespace assay
