// Each defect of a sweep is shrunk to a case that shows it, not only one of each verdict.
#include "harness/search/shrink_defects.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/device/device.h"
#include "harness/op/registry.h"
#include "harness/result/defect.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const RegisterOp kOp({.name = "shrinks_defects",
                      .summary = "y = x",
                      .dims = {{.name = "n", .meaning = "elements"}},
                      .tensors = {{.name = "x", .role = Role::input, .shape = {"n"}}},
                      .reference = {}});

ResultRow row_of(const Case& c, const std::string& device, Findings findings) {
  ResultRow row;
  row.c = c;
  row.device = device;
  const Verdict verdict = Verdict::worst(findings);
  row.verdict = verdict.kind;
  row.detail = verdict.detail;
  row.findings = std::move(findings);
  return row;
}

Finding race(int line) { return {Kind::race, fmt::format("shared a[0] (a.cu:{})", line)}; }
const Finding kWrong{Kind::mismatch, "y: wrong", "y"};

Case sized(int64_t n, const std::string& fill = "normal") {
  return *parse_case(fmt::format("shrinks_defects/v f32 n={} fill={} seed=1 schedule=0", n, fill));
}

// Runs the kernel `shows`, of a size and a device, or `shows_of_case`, with one candidate of each smaller size.
struct Shrinks {
  std::function<Findings(int, const std::string&)> shows;
  std::vector<std::string> made = {};      // "cpu n=3 RACE, MISMATCH"
  std::vector<std::string> left_out = {};  // "13"
  std::function<Findings(const Case&, const std::string&)> shows_of_case = nullptr;
  size_t ends_after = SIZE_MAX, begun = 0;  // defects, when the time is over

  ResultRow run(const Case& c, const std::string& device) const {
    return row_of(c, device, shows_of_case ? shows_of_case(c, device) : shows(static_cast<int>(c.dim("n")), device));
  }
  ResultRow run(int n, const std::string& device) const { return run(sized(n), device); }
  void operator()(const std::vector<ResultRow>& rows) {
    const DefectShrinking with{
        .shrink = [&](const ResultRow& failing, const auto& same) -> std::optional<ResultRow> {
          for (int n = 1; n < failing.c.dim("n"); ++n)
            if (ResultRow row = run(sized(n, failing.c.fill), failing.device); same(row)) {
              row.shrunk_from = failing.line();
              return row;
            }
          return std::nullopt;
        },
        .run = [&](const Case& c, const std::string& device) { return run(c, device); },
        .stopped = [&] { return begun >= ends_after; },
        .begins = [&](const ResultRow&) { ++begun; },
        .ends = [](const ResultRow&, const ResultRow&) {},
        .left_out = [&](const std::string&, size_t defects) { left_out.push_back(fmt::to_string(defects)); }};
    for (const ShrunkRow& each : shrink_defects(rows, with)) {
      std::string text = fmt::format("{} n={}", each.row.device, each.row.c.dim("n"));
      for (const Finding& finding : each.row.findings) text += fmt::format(" {}", name(finding.kind));
      made.push_back(text);
      EXPECT_EQ(each.row.shrunk_from, rows[each.after].line());
    }
  }
};

TEST(ShrinkDefects, TwoRacesAtOtherLinesAreShrunkEach) {
  Shrinks shrink{[](int n, auto&) {
    Findings findings;
    if (n >= 3) findings.push_back(race(10));
    if (n == 2 || n == 50) findings.push_back(race(20));
    return findings;
  }};
  shrink({shrink.run(50, "cpu-checked")});
  EXPECT_THAT(shrink.made, ElementsAre("cpu-checked n=3 RACE", "cpu-checked n=2 RACE"));
}

TEST(ShrinkDefects, TheCheckedBuildNamesTheCauseOfAWrongValue) {
  Shrinks shrink{};
  shrink.shows_of_case = [](const Case& c, const std::string& device) {
    if (c.dim("n") < 4 || c.schedule % 2 != 0) return Findings{};
    return Findings{device == kCheckedDevice ? race(10) : kWrong};
  };
  const ResultRow passed = shrink.run(1, kCheckedDevice);
  shrink({shrink.run(9, "cpu"), passed});
  EXPECT_THAT(shrink.made, ElementsAre("cpu n=4 MISMATCH", "cpu-checked n=4 RACE"));
  shrink.made.clear();
  shrink({shrink.run(9, "cpu")});  // a run that does without the checked build
  EXPECT_THAT(shrink.made, ElementsAre("cpu n=4 MISMATCH"));
}

TEST(ShrinkDefects, OfManyTheFirstOfEachKind) {
  Shrinks shrink{[](int n, auto&) {
    Findings findings;
    for (int line = 0; line < 20; ++line)
      if (n > line) findings.push_back(race(line));
    if (n == 30 || n == 25) findings.push_back(kWrong);
    return findings;
  }};
  shrink({shrink.run(30, "cpu")});
  EXPECT_THAT(shrink.made, testing::Contains(testing::HasSubstr("n=25 ")));
  EXPECT_LE(shrink.made.size(), kDefectsShrunkMax);
  EXPECT_THAT(shrink.left_out, ElementsAre(fmt::to_string(21 - kDefectsShrunkMax)));
}

TEST(ShrinkDefects, WhatIsLeftWhenTheTimeIsOverIsTold) {
  Shrinks shrink{[](int n, auto&) {
    Findings findings;
    for (int line = 0; line < 5; ++line)
      if (n > line) findings.push_back(race(line));
    return findings;
  }};
  shrink.ends_after = 2;
  shrink({shrink.run(30, "cpu")});
  EXPECT_EQ(shrink.made.size(), 2u);
  EXPECT_THAT(shrink.left_out, ElementsAre("3"));
}

const Finding kNan{Kind::nonfinite, "y: got nan, want 1", "y"};
const Finding kWrongMean{Kind::mismatch, "mean: wrong", "mean"};

// y is wrong from 4 elements on, and mean from 6; other data than ordinary make it NaN.
TEST(ShrinkDefects, WhatTheSameLaunchShowsWithOrdinaryDataIsShrunkOnce) {
  Shrinks shrink{};
  shrink.shows_of_case = [](const Case& c, auto&) {
    if (c.dim("n") < 4) return Findings{};
    if (c.fill == "nan") return Findings{kNan};
    return c.dim("n") < 6 ? Findings{kWrong} : Findings{kWrong, kWrongMean};
  };
  shrink({shrink.run(sized(9), "cpu"), shrink.run(sized(8, "nan"), "cpu")});
  EXPECT_THAT(shrink.made, ElementsAre("cpu n=4 MISMATCH", "cpu n=4 MISMATCH"))
      << "the smallest for any output, and the same made of the case with NaN";
}

TEST(ShrinkDefects, WhatShowsWithoutTheFirstBugIsShrunkToACaseWithoutIt) {
  Shrinks shrink{};
  shrink.shows_of_case = [](const Case& c, auto&) {
    const int64_t n = c.dim("n");
    if (c.fill == "nan") return Findings{kNan};  // whatever the size
    Findings findings;
    if (n % 4 != 0) findings.push_back(kWrong);
    if (n > 17) findings.push_back(kWrongMean);
    return findings;
  };
  shrink({shrink.run(sized(19), "cpu"), shrink.run(sized(24), "cpu"), shrink.run(sized(8, "nan"), "cpu")});
  EXPECT_THAT(shrink.made, ElementsAre("cpu n=1 MISMATCH", "cpu n=20 MISMATCH", "cpu n=4 NONFINITE"));
}

TEST(ShrinkDefects, ARaceIsNoCauseOfWhatFailsAlikeInAnyOrder) {
  Shrinks shrink{};
  const auto with = [&](bool in_order) {
    shrink.shows_of_case = [=](const Case& c, const std::string& device) {
      if (device == kCheckedDevice) return Findings{race(10)};
      if (c.dim("n") < 4 || (in_order && c.schedule % 2 != 0)) return Findings{};
      return Findings{kWrong};
    };
    shrink.made.clear();
    shrink({shrink.run(9, "cpu"), shrink.run(7, kCheckedDevice)});
  };
  with(true);
  EXPECT_THAT(shrink.made, ElementsAre("cpu-checked n=1 RACE", "cpu n=4 MISMATCH", "cpu-checked n=4 RACE"));
  with(false);
  EXPECT_THAT(shrink.made, ElementsAre("cpu-checked n=1 RACE", "cpu n=4 MISMATCH"));
}

TEST(ShrinkDefects, WrongValuesAreLookedForWhereTheRaceIsNot) {
  Shrinks shrink{};
  shrink.shows_of_case = [](const Case& c, const std::string& device) {
    const bool races = c.dim("n") < 8;
    if (device == kCheckedDevice) return races ? Findings{race(10)} : Findings{};
    if (c.dim("n") < 4 || (races && c.schedule % 2 != 0)) return Findings{};
    return Findings{kWrong};
  };
  shrink({shrink.run(6, "cpu"), shrink.run(12, "cpu"), shrink.run(7, kCheckedDevice)});
  EXPECT_THAT(shrink.made, ElementsAre("cpu-checked n=1 RACE", "cpu n=8 MISMATCH"));
}

TEST(ShrinkDefects, PassesAreLeftAlone) {
  Shrinks shrink{[](int, auto&) { return Findings{}; }};
  shrink({shrink.run(3, "cpu")});
  EXPECT_THAT(shrink.made, IsEmpty());
}

}  // namespace
}  // namespace assay
