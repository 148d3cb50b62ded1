// Every planted bug is found, named rightly, shrunk to its smallest trigger, and replays; every sound twin passes.
//
// The first lines of the files below broken/ and sound/ state what is expected:
//   // EXPECT: MISMATCH           the verdict; several may be given
//   // SMALLEST: rows=1 cols=33   parts of the case line that shrinking must arrive at
//   // SUITE: ci                 the suite whose cases are large enough for the bug; left out: a suite of small ones
//   // SANITIZER: racecheck LINE   a case line, and the tool of compute-sanitizer that finds the bug in it, or `silent`
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "harness/cli/gpu_tools.h"
#include "harness/result/row_json.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::run;
using selftest::Scratch;
using selftest::small_suite;

struct Planted {
  std::string file;
  std::string id;  // op/variant
  std::vector<std::string> expect;
  std::vector<std::string> smallest;
  std::string sanitizer, sanitizer_line;  // empty in most files
  std::string suite;                      // likewise
};

std::string suite_of(const Planted& kernel, const Scratch& scratch) {
  return kernel.suite.empty() ? small_suite(scratch) : " --suite " + kernel.suite + " ";
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string match(const std::string& text, const std::string& pattern) {
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : "";
}

// Files that register a variant; kernels that are only for the executor's own tests do not.
std::vector<Planted> planted(const std::string& folder) {
  std::vector<Planted> all;
  for (const auto& entry : fs::recursive_directory_iterator(ASSAY_SOURCE_DIR "/harness/selftest/" + folder)) {
    if (entry.path().extension() != ".cu") continue;
    const std::string text = selftest::read_text(entry.path());
    const std::string op = match(text, R"re(\.op = "([^"]+)")re"), name = match(text, R"re(\.name = "([^"]+)")re");
    if (op.empty()) continue;
    all.push_back({entry.path(), op + "/" + name, words(match(text, "// EXPECT: ([A-Z_ ]+)")),
                   words(match(text, "// SMALLEST: ([^\n]*)")), match(text, "// SANITIZER: (\\S*)"),
                   match(text, "// SANITIZER: \\S* ([^\n]*)"), match(text, "// SUITE: (\\S*)")});
  }
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.id < b.id; });
  return all;
}

std::vector<ResultRow> rows_of(const std::string& folder) {
  std::vector<ResultRow> rows;
  std::ifstream file(folder + "/results.jsonl");
  for (std::string line; std::getline(file, line);) rows.push_back(row_from_line(line).value());
  return rows;
}

// A wrong value shows as NONFINITE where data or a quotient makes it so; everything else must be what the file states.
bool explains(const Planted& bug, Kind seen) {
  const auto expects = [&](Kind kind) {
    return std::find(bug.expect.begin(), bug.expect.end(), name(kind)) != bug.expect.end();
  };
  return expects(seen) || (seen == Kind::nonfinite && expects(Kind::mismatch));
}

void PrintTo(const Planted& bug, std::ostream* out) { *out << bug.id; }

class Broken : public testing::TestWithParam<Planted> {};

TEST_P(Broken, IsFoundShrunkAndReplays) {
  const Planted& bug = GetParam();
  ASSERT_FALSE(bug.expect.empty()) << bug.file << " needs a line '// EXPECT: VERDICT'";
  const Scratch scratch;
  // 100 cases of each of three dtypes: a bug must show within 300.
  const auto check =
      run("assay_selftest", "check " + bug.id + suite_of(bug, scratch) +
                                "--device cpu --cases 100 --seed 1 --case-limit 1s --shrink 45s --regressions " +
                                scratch.path + "/saved --out " + scratch.path + "/out");
  EXPECT_EQ(check.exit_code, 1) << check.out << check.err;
  std::vector<std::string> smallest_lines;
  for (const ResultRow& row : rows_of(scratch.path + "/out")) {
    if (!is_failure(row.verdict)) continue;
    EXPECT_TRUE(explains(bug, row.verdict)) << name(row.verdict) << "  " << row.line() << ": " << row.detail;
    if (!row.shrunk_from.empty() && name(row.verdict) == bug.expect.front()) smallest_lines.push_back(row.line());
  }
  ASSERT_FALSE(smallest_lines.empty()) << check.out << check.err;  // several where several tensors are wrong
  const auto line = std::find_if(smallest_lines.begin(), smallest_lines.end(), [&](const std::string& each) {
    const std::vector<std::string> have = words(each);
    return std::all_of(bug.smallest.begin(), bug.smallest.end(), [&](const std::string& part) {
      return std::find(have.begin(), have.end(), part) != have.end();
    });
  });
  ASSERT_NE(line, smallest_lines.end()) << "none is the smallest trigger:\n" << check.out;

  const auto replay = run("assay_selftest", "replay --times 10 --case-limit 1s '" + *line + "'");
  EXPECT_EQ(replay.exit_code, 1);
  EXPECT_THAT(replay.out, testing::HasSubstr("10 of 10 runs: " + bug.expect.front())) << replay.out;
  EXPECT_FALSE(fs::is_empty(scratch.path + "/saved"));
}

std::string test_name(const testing::TestParamInfo<Planted>& info) {
  return std::regex_replace(info.param.id, std::regex("[^A-Za-z0-9]"), "_");
}

INSTANTIATE_TEST_SUITE_P(Planted, Broken, testing::ValuesIn(planted("broken")), test_name);

class Sound : public testing::TestWithParam<Planted> {};

TEST_P(Sound, TwinPasses) {
  const Scratch scratch;
  const auto check = run("assay_selftest", "check " + GetParam().id + suite_of(GetParam(), scratch) +
                                               "--cases 60 --seed 1 --no-save --regressions " + scratch.path +
                                               "/saved --out " + scratch.path + "/out");
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
}

INSTANTIATE_TEST_SUITE_P(Planted, Sound, testing::ValuesIn(planted("sound")), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Sound);

// What scripts/gpu gives to compute-sanitizer, where there is a GPU. The checked build shows here whether a line shows
// the bug, and that its twin's does not.
TEST(Planted, LinesForSanitizersShowTheBugInBrokenKernelsOnly) {
  int lines = 0;
  for (const bool sound : {false, true})
    for (const Planted& kernel : planted(sound ? "sound" : "broken")) {
      if (kernel.sanitizer.empty()) continue;
      ++lines;
      const bool is_silent = kernel.sanitizer == "silent";
      EXPECT_EQ(is_silent, sound) << kernel.file;
      EXPECT_TRUE(is_silent || find_gpu_tool(kernel.sanitizer)) << kernel.file << ": " << kernel.sanitizer;
      EXPECT_EQ(words(kernel.sanitizer_line).at(0), kernel.id) << kernel.file;
      const auto replay = run("assay_selftest", "replay --checked '" + kernel.sanitizer_line + "'");
      EXPECT_EQ(replay.exit_code, sound ? 0 : 1) << replay.out << replay.err;
    }
  EXPECT_GE(lines, 10);
}

// The mechanism itself: a run that finds nothing would make every test above pass if the list were empty.
TEST(Planted, ThereAreSome) { EXPECT_GE(planted("broken").size(), 12u); }

}  // namespace
}  // namespace assay
