// Every planted bug is found, named rightly, shrunk to its smallest trigger, and replays; every sound twin passes.
// planted.h has what the files state.
#include <gmock/gmock.h>

#include "harness/cli/gpu_tools.h"
#include "harness/selftest/planted.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Planted;
using selftest::planted;
using selftest::rows_of;
using selftest::run;
using selftest::Scratch;
using selftest::Side;
using selftest::words;

// A push runs one in four: several bugs are of each kind, and each detector has tests of its own.
class Broken : public selftest::OneInFour<testing::TestWithParam<Planted>> {};

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
  EXPECT_THAT(selftest::bugs_of(scratch.path + "/out"), testing::SizeIs(bug.bugs)) << check.out;
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

INSTANTIATE_TEST_SUITE_P(Planted, Broken, testing::ValuesIn(planted(Side::bug)), selftest::name_of_test);

class Sound : public selftest::OneInFour<testing::TestWithParam<Planted>> {};

TEST_P(Sound, TwinPasses) {
  const Scratch scratch;
  const auto check = run("assay_selftest", "check " + GetParam().id + suite_of(GetParam(), scratch) +
                                               "--cases 60 --seed 1 --no-save --regressions " + scratch.path +
                                               "/saved --out " + scratch.path + "/out");
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
}

INSTANTIATE_TEST_SUITE_P(Planted, Sound, testing::ValuesIn(planted(Side::twin)), selftest::name_of_test);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Sound);

// These are the lines that scripts/gpu gives to compute-sanitizer, where there is a GPU. The checked build shows here
// whether a line shows the bug, and that its twin's does not.
TEST(Planted, LinesForSanitizersShowTheBugInBrokenKernelsOnly) {
  int lines = 0;
  for (const Side side : {Side::bug, Side::twin})
    for (const Planted& kernel : planted(side)) {
      if (kernel.sanitizer.empty()) continue;
      ++lines;
      const bool is_silent = kernel.sanitizer == "silent";
      EXPECT_EQ(is_silent, side == Side::twin) << kernel.file;
      EXPECT_TRUE(is_silent || find_gpu_tool(kernel.sanitizer)) << kernel.file << ": " << kernel.sanitizer;
      EXPECT_EQ(words(kernel.sanitizer_line).at(0), kernel.id) << kernel.file;
      const auto replay = run("assay_selftest", "replay --checked '" + kernel.sanitizer_line + "'");
      EXPECT_EQ(replay.exit_code, is_silent ? 0 : 1) << replay.out << replay.err;
    }
  EXPECT_GE(lines, 10);
}

// The mechanism itself: a run that finds nothing would make every test above pass if the list were empty.
TEST(Planted, ThereAreSome) { EXPECT_GE(planted(Side::bug).size(), 12u); }

}  // namespace
}  // namespace assay
