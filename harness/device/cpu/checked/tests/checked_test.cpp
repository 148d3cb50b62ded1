// Runs every test kernel of the checks: the broken ones must be reported as they say under every schedule, the sound
// ones must be right and silent.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "harness/device/cpu/checked/checker.h"
#include "harness/device/cpu/simt/executor.h"
#include "harness/device/cpu/tests/kernel_table.h"

namespace assay::simt::test {
namespace {

struct Expectation {
  std::string kind;
  std::vector<std::string> sentences;
  bool crashes_unchecked = false, unseen_by_clang = false;
};

Expectation expectation(const KernelTest& test) {
  std::ifstream file(test.path);
  Expectation result;
  const std::string expect = "// EXPECT: ", says = "// SAYS: ";
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(expect, 0) == 0)
      result.kind = line.substr(expect.size(), line.find(':', expect.size()) - expect.size());
    if (line.rfind("// CLANG: not seen", 0) == 0) result.unseen_by_clang = true;
    if (line.rfind("// UNCHECKED: crashes", 0) == 0) result.crashes_unchecked = true;
    if (line.rfind(says, 0) == 0) result.sentences.push_back(line.substr(says.size()));
  }
  EXPECT_NE(result.kind, "") << test.path << ": the first line says what to expect";
  return result;
}

std::vector<KernelTest> tests_in(const std::string& folder) {
  size_t count = 0;
  const KernelTest* const all = kernel_tests(&count);
  std::vector<KernelTest> found;
  for (size_t i = 0; i < count; ++i)
    if (std::string(all[i].path).find("/" + folder + "/") != std::string::npos) found.push_back(all[i]);
  return found;
}

const KernelTest& test_named(const std::string& name) {
  size_t count = 0;
  const KernelTest* test = kernel_tests(&count);
  while (test->name != name) ++test;
  return *test;
}

struct PrintName {
  template <class Info>
  std::string operator()(const Info& which) const {
    return which.param.name;
  }
};

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
  for (uint64_t schedule = 0; schedule < 40; ++schedule) {
    std::string wrong;
    const Findings findings = run(GetParam(), schedule, {}, &wrong);
    ASSERT_TRUE(findings.empty()) << "schedule " << schedule << ": " << name(findings[0].kind) << " "
                                  << findings[0].detail;
    ASSERT_EQ(wrong, "") << "schedule " << schedule;
  }
}

class CheckedBroken : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(Kernels, CheckedBroken, testing::ValuesIn(tests_in("broken")), PrintName());

TEST_P(CheckedBroken, IsReportedUnderEverySchedule) {
  const Expectation expected = expectation(GetParam());
#if defined(__clang__)
  if (expected.unseen_by_clang) GTEST_SKIP() << "see checked/README.md";
#endif
  for (uint64_t schedule = 0; schedule < 40; ++schedule) {
    const Findings findings = run(GetParam(), schedule, {});
    // A race may bring a read of what is not yet written with it; the verdict is the race.
    ASSERT_EQ(name(Verdict::worst(findings).kind), expected.kind) << "schedule " << schedule;
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

// Each check alone is what finds its kind.
TEST_P(CheckedBroken, IsSilentWithoutItsCheck) {
  const Expectation expected = expectation(GetParam());
  if (expected.crashes_unchecked) GTEST_SKIP() << "would end the process";
  const std::string& kind = expected.kind;
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
