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
  std::string detector;         // the one that must be asked for by name
  bool crashes_unchecked = false, unseen_by_clang = false;
};

std::string file_name(const KernelTest& test) {
  const std::string path = test.path;
  return path.substr(path.rfind('/') + 1);
}

Expectation expectation(const KernelTest& test) {
  std::ifstream file(test.path);
  Expectation result;
  const std::string expect = "// EXPECT: ", says = "// SAYS: ", detector = "// DETECTOR: ";
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.ends_with("  // HERE")) result.lines.insert(file_name(test) + ":" + std::to_string(number));
    if (line.rfind(expect, 0) == 0)
      result.kind = line.substr(expect.size(), line.find(':', expect.size()) - expect.size());
    if (line.rfind("// CLANG: not seen", 0) == 0) result.unseen_by_clang = true;
    if (line.rfind("// UNCHECKED: crashes", 0) == 0) result.crashes_unchecked = true;
    if (line.rfind(detector, 0) == 0) result.detector = line.substr(detector.size());
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

constexpr const char* kHint = "HINT";  // no finding: the verdict does not change

// A finding of a detector that is off by default comes where it is asked for.
Checks checks_for(const Expectation& expected) {
  return expected.detector.empty() || expected.kind == kHint ? Checks{} : Checks{.on = {expected.detector}};
}

Findings run(const KernelTest& test, uint64_t schedule, const Checks& checks, std::string* wrong = nullptr,
             std::vector<std::string>* hints = nullptr) {
  Checker checker(checks);
  Context context{.options = {.schedule = schedule, .checker = &checker}, .findings = {}};
  {
    const ContextScope scope(context);
    const std::string result = test.run();
    if (wrong != nullptr) *wrong = result;
  }
  if (hints != nullptr) *hints = checker.take_hints();
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

// The tests whose expectation satisfies `condition`, rather than tests that skip themselves. Errors that a compiler
// hides from the hooks (checked/README.md) are left out with it.
std::vector<KernelTest> tests_where(const char* folder, bool (*condition)(const Expectation&)) {
  std::vector<KernelTest> chosen;
  for (const KernelTest& test : tests_in(folder)) {
    const Expectation expected = expectation(test);
#if defined(__clang__)
    if (expected.unseen_by_clang) continue;
#endif
    if (condition(expected)) chosen.push_back(test);
  }
  return chosen;
}

std::vector<KernelTest> broken_where(bool (*condition)(const Expectation&)) {
  std::vector<KernelTest> chosen = tests_where("broken", condition);
  std::erase_if(chosen, [](const KernelTest& test) { return expectation(test).kind == kHint; });
  return chosen;
}

void expect_sentences(const Expectation& expected, const std::vector<std::string>& said) {
  for (const std::string& sentence : expected.sentences)
    EXPECT_TRUE(std::any_of(said.begin(), said.end(), [&](const std::string& text) {
      return text.find(sentence) != std::string::npos;
    })) << sentence;
}

class CheckedBroken : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(Kernels, CheckedBroken,
                         testing::ValuesIn(broken_where([](const Expectation&) { return true; })), PrintName());

TEST_P(CheckedBroken, IsReportedUnderEverySchedule) {
  const Expectation expected = expectation(GetParam());
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    const Findings findings = run(GetParam(), schedule, checks_for(expected));
    // A race may bring a read of what is not yet written with it; the verdict is the race.
    ASSERT_EQ(name(worst(findings)), expected.kind) << "schedule " << schedule;
    for (const Finding& finding : findings) {
      if (schedule == 0) printf("    %s %s\n", std::string(name(finding.kind)).c_str(), finding.detail.c_str());
      EXPECT_EQ(finding.detail.find("line unknown"), std::string::npos) << finding.detail;
    }
    if (schedule != 0) continue;
    std::vector<std::string> said;
    for (const Finding& finding : findings) said.push_back(finding.detail);
    expect_sentences(expected, said);
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
    for (const Finding& finding : run(GetParam(), schedule, checks_for(expected))) {
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
  for (const Detector& detector : detectors())
    if (kind == name(detector.finds)) checks.off.push_back(detector.name);
  ASSERT_FALSE(checks.off.empty()) << "no detector says that it finds " << kind;
  for (const Finding& finding : run(GetParam(), 0, checks)) EXPECT_NE(name(finding.kind), kind) << finding.detail;
}

// A detector that is off by default hints where it is asked for, changes no verdict, and is silent otherwise.
class CheckedHinted : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(
    Kernels, CheckedHinted,
    testing::ValuesIn(tests_where("broken", [](const Expectation& expected) { return expected.kind == kHint; })),
    PrintName());

TEST_P(CheckedHinted, IsHintedAtUnderEverySchedule) {
  const Expectation expected = expectation(GetParam());
  ASSERT_FALSE(expected.lines.empty()) << "no line is marked HERE";
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    std::vector<std::string> hints;
    EXPECT_TRUE(run(GetParam(), schedule, {}, nullptr, &hints).empty());
    EXPECT_TRUE(hints.empty()) << hints[0];
    EXPECT_TRUE(run(GetParam(), schedule, {.on = {expected.detector}}, nullptr, &hints).empty());
    std::set<std::string> named;
    for (const std::string& hint : hints) {
      if (schedule == 0) printf("    HINT %s\n", hint.c_str());
      named.merge(lines_named(hint, GetParam()));
    }
    ASSERT_EQ(named, expected.lines) << "schedule " << schedule;
    if (schedule == 0) expect_sentences(expected, hints);
  }
}

class CheckedUnhinted : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(
    Kernels, CheckedUnhinted,
    testing::ValuesIn(tests_where("sound", [](const Expectation& expected) { return !expected.detector.empty(); })),
    PrintName());

TEST_P(CheckedUnhinted, IsSilentUnderEverySchedule) {
  const std::string detector = expectation(GetParam()).detector;
  for (uint64_t schedule = 0; schedule < kSchedules; ++schedule) {
    std::vector<std::string> hints;
    EXPECT_TRUE(run(GetParam(), schedule, {.on = {detector}}, nullptr, &hints).empty());
    ASSERT_TRUE(hints.empty()) << "schedule " << schedule << ": " << hints[0];
  }
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
