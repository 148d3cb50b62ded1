// Kernels in other people's styles, as their authors would hand them in: what is wrong with one is found and shrunk,
// and its corrected twin passes. The first lines of each file state which; see README.md.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

#include "harness/result/row_json.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Scratch;
using testing::Contains;

struct AsFound {
  std::string file;
  std::vector<std::string> expect, smallest;
};

std::vector<std::string> words_after(const std::string& text, const std::string& mark) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex(mark + ": ([^.\n]*)"))) return {};
  std::istringstream words(found[1]);
  return {std::istream_iterator<std::string>(words), {}};
}

std::vector<AsFound> kernels() {
  std::vector<AsFound> all;
  for (const auto& entry : fs::directory_iterator(ASSAY_SOURCE_DIR "/harness/selftest/as_found")) {
    if (entry.path().extension() == ".toml" || entry.path().filename() == ".clang-format") continue;
    const std::string text = selftest::read_text(entry.path());
    all.push_back({entry.path(), words_after(text, "EXPECT"), words_after(text, "SMALLEST")});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  return all;
}

void PrintTo(const AsFound& kernel, std::ostream* out) { *out << kernel.file; }

class AsFoundKernel : public testing::TestWithParam<AsFound> {};

TEST_P(AsFoundKernel, IsJudgedRightly) {
  const AsFound& kernel = GetParam();
  ASSERT_FALSE(kernel.expect.empty()) << kernel.file << " needs a line EXPECT: VERDICT";
  const Scratch scratch;
  const auto check = selftest::run("assay", "check --source '" + kernel.file + "'" + selftest::small_suite(scratch) +
                                                "--cases 60 --seed 2 --case-limit 20s --shrink 20s --no-save"
                                                " --regressions " +
                                                scratch.path + "/saved --out " + scratch.path + "/out");
  std::vector<ResultRow> rows;
  std::ifstream results(scratch.path + "/out/results.jsonl");
  for (std::string line; std::getline(results, line);) rows.push_back(row_from_line(line).value());
  const auto passed =
      std::count_if(rows.begin(), rows.end(), [](const ResultRow& row) { return row.verdict == Kind::pass; });
  const bool is_sound = kernel.expect.front() == "PASS";
  EXPECT_GE(passed, is_sound ? 40 : 1) << check.out << check.err;  // even a flawed kernel is right somewhere
  if (is_sound) {
    EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
    return;
  }
  EXPECT_EQ(check.exit_code, 1) << check.out << check.err;
  std::vector<std::string> smallest;
  for (const ResultRow& row : rows) {
    if (!is_failure(row.verdict) || row.verdict == Kind::mistrusted) continue;  // too little passes to trust
    EXPECT_THAT(kernel.expect, Contains(name(row.verdict))) << row.line() << ": " << row.detail;
    if (!row.shrunk_from.empty() && name(row.verdict) == kernel.expect.front()) smallest.push_back(row.line());
  }
  ASSERT_FALSE(smallest.empty()) << check.out << check.err;
  for (const std::string& part : kernel.smallest) EXPECT_THAT(smallest, Contains(testing::HasSubstr(' ' + part + ' ')));
}

std::string test_name(const testing::TestParamInfo<AsFound>& info) { return fs::path(info.param.file).stem().string(); }

INSTANTIATE_TEST_SUITE_P(AsFound, AsFoundKernel, testing::ValuesIn(kernels()), test_name);

// An empty list would pass.
TEST(AsFound, ThereAreFourteenAndTheirTwins) { EXPECT_EQ(kernels().size(), 28u); }

}  // namespace
}  // namespace assay
