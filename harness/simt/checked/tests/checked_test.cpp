// Runs every test kernel of the checks: the broken ones must be reported as they say under every schedule, the sound
// ones must be right and silent.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "harness/simt/checked/checker.h"
#include "harness/simt/runtime/executor.h"
#include "harness/simt/tests/kernel_lookup.h"

namespace assay::simt::test {
namespace {

constexpr uint64_t kSchedules = 100;

struct Expectation {
  std::string kind;
  std::vector<std::string> sentences;
  std::set<std::string> lines;  // marked HERE, as "file.cu:7"
  bool crashes_unchecked = false, unseen_by_clang = false;
};

std::string file_name(const KernelTest& test) {
  const std::string path = test.path;
  return path.substr(path.rfind('/') + 1);
}

Expectation expectation(const KernelTest& test) {
  std::ifstream file(test.path);
  Expectation result;
  const std::string expect = "// EXPECT: ", says = "// SAYS: ";
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.ends_with("  // HERE")) result.lines.insert(file_name(test) + ":" + std::to_string(number));
    if (line.rfind(expect, 0) == 0)
      result.kind = line.substr(expect.size(), line.find(':', expect.size()) - expect.size());
    if (line.rfind("// CLANG: not seen", 0) == 0) result.unseen_by_clang = true;
    if (line.rfind("// UNCHECKED: crashes", 0) == 0) result.crashes_unchecked = true;
    if (line.rfind(says, 0) == 0) result.sentences.push_back(line.substr(says.size()));
  }
  EXPECT_NE(result.kind, "") << test.path << ": the first line says what to expect";
  return result;
}

// The lines that a finding names: "(softmax.cu:7)", and "line 7" where the kernel's own file is meant.
std::set<std::string> lines_named(const std::string& detail, const KernelTest& test) {
  static const std::regex pattern(R"(([\w.]+\.\w+):(\d+)|\bline (\d+))");
  std::set<std::string> lines;
  for (std::sregex_iterator it(detail.begin(), detail.end(), pattern), end; it != end; ++it)
    lines.insert((*it)[3].matched ? file_name(test) + ":" + (*it)[3].str() : it->str());
  return lines;
}

Findings run(const KernelTest& test, uint64_t schedule, const Checks& checks, std::string* wrong = nullptr) {
  Checker checker(checks);
  Context context{.options = {.schedule = schedule, .checker = &checker}, .findings = {}};
  const ContextScope scope(context);
  const std::string result = test.run();
  if (wrong != nullptr) *wrong = result;
  return context.findings;
}

class CheckedSound : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(Kernels, CheckedSound, testing::ValuesIn(tests_in("sound")), PrintName());

TEST_P(CheckedSound, IsRightAndSilentUnderEverySchedule) {
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    std::string wrong;
    const Findings findings = run(GetParam(), schedule, {}, &wrong);
    ASSERT_TRUE(findings.empty()) << "schedule " << schedule << ": " << name(findings[0].kind) << " "
                                  << findings[0].detail;
    ASSERT_EQ(wrong, "") << "schedule " << schedule;
  }
}

// Those whose expectation satisfies `condition`, rather than tests that skip themselves. What the compiler hides from
// the hooks (checked/README.md) is left out with that compiler.
std::vector<KernelTest> broken_where(bool (*condition)(const Expectation&)) {
  std::vector<KernelTest> chosen;
  for (const KernelTest& test : tests_in("broken")) {
    const Expectation expected = expectation(test);
#if defined(__clang__)
    if (expected.unseen_by_clang) continue;
#endif
    if (condition(expected)) chosen.push_back(test);
  }
  return chosen;
}

class CheckedBroken : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(Kernels, CheckedBroken,
                         testing::ValuesIn(broken_where([](const Expectation&) { return true; })), PrintName());

TEST_P(CheckedBroken, IsReportedUnderEverySchedule) {
  const Expectation expected = expectation(GetParam());
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    const Findings findings = run(GetParam(), schedule, {});
    // A race may bring a read of what is not yet written with it; the verdict is the race.
    ASSERT_EQ(name(worst(findings)), expected.kind) << "schedule " << schedule;
    for (const Finding& finding : findings) {
      if (schedule == 0) printf("    %s %s\n", std::string(name(finding.kind)).c_str(), finding.detail.c_str());
      EXPECT_EQ(finding.detail.find("line unknown"), std::string::npos) << finding.detail;
    }
    if (schedule != 0) continue;
    for (const std::string& sentence : expected.sentences)
      EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [&](const Finding& f) {
        return f.detail.find(sentence) != std::string::npos;
      })) << sentence;
  }
}

class CheckedBrokenMarked : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(Kernels, CheckedBrokenMarked, testing::ValuesIn(broken_where([](const Expectation& expected) {
                           return expected.kind != name(Kind::crash);  // a refused launch has no line
                         })),
                         PrintName());

// Findings name the lines marked HERE and no others, and each of these under one schedule or another.
TEST_P(CheckedBrokenMarked, NamesTheLinesMarkedHere) {
  const Expectation expected = expectation(GetParam());
  ASSERT_FALSE(expected.lines.empty()) << "no line is marked HERE";
  std::set<std::string> named;
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    for (const Finding& finding : run(GetParam(), schedule, {})) {
      const std::set<std::string> lines = lines_named(finding.detail, GetParam());
      ASSERT_FALSE(lines.empty()) << "schedule " << schedule << ": " << finding.detail;
      for (const std::string& line : lines)
        ASSERT_TRUE(expected.lines.contains(line)) << line << ", schedule " << schedule << ": " << finding.detail;
      named.insert(lines.begin(), lines.end());
    }
  }
  for (const std::string& line : expected.lines) EXPECT_TRUE(named.contains(line)) << line << " is in no finding";
}

// Barriers and launches are the executor's own business, which has no switch.
class CheckedBrokenSwitchable : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(Kernels, CheckedBrokenSwitchable,
                         testing::ValuesIn(broken_where([](const Expectation& expected) {
                           return !expected.crashes_unchecked && expected.kind != name(Kind::barrier) &&
                                  expected.kind != name(Kind::crash);
                         })),
                         PrintName());

// Each check alone is what finds its kind.
TEST_P(CheckedBrokenSwitchable, IsSilentWithoutItsCheck) {
  const std::string kind = expectation(GetParam()).kind;
  Checks checks;
  if (kind == name(Kind::race)) checks.races = false;
  if (kind == name(Kind::out_of_bounds)) checks.bounds = false;
  if (kind == name(Kind::uninitialised)) checks.uninitialised = false;
  if (kind == name(Kind::misaligned)) checks.misaligned = false;
  for (const Finding& finding : run(GetParam(), 0, checks)) EXPECT_NE(name(finding.kind), kind) << finding.detail;
}

TEST(Checked, RunsUncheckedWithoutAChecker) {
  Context context;
  const ContextScope scope(context);
  EXPECT_STREQ(test_named("thousand_threads").run(), "");
  EXPECT_TRUE(context.findings.empty());
}

// An update that is not atomic loses counts only where a thread stops between its read and its write.
TEST(Checked, SwitchesInsideAnIntervalAndRepeatsIt) {
  std::set<std::string> results;
  for (uint64_t schedule = 0; schedule < 20; ++schedule) {
    std::string once, again;
    run(test_named("update_without_atomic"), schedule, {}, &once);
    run(test_named("update_without_atomic"), schedule, {}, &again);
    EXPECT_EQ(once, again) << schedule;
    if (schedule == 0) {
      EXPECT_EQ(once, "");
    }
    results.insert(once);
  }
  EXPECT_GT(results.size(), 1u);
}

TEST(Checked, RepeatsItsSentences) {
  for (uint64_t schedule : {0, 5}) {
    const Findings once = run(test_named("missing_barrier_in_reduction"), schedule, {});
    const Findings again = run(test_named("missing_barrier_in_reduction"), schedule, {});
    ASSERT_EQ(once.size(), again.size());
    for (size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].detail, again[i].detail);
  }
}

}  // namespace
}  // namespace assay::simt::test
