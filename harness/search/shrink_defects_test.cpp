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

ResultRow row_of(int n, const std::string& device, Findings findings) {
  ResultRow row;
  row.c = *parse_case(fmt::format("shrinks_defects/v f32 n={} fill=normal seed=1 schedule=0", n));
  row.device = device;
  const Verdict verdict = Verdict::worst(findings);
  row.verdict = verdict.kind;
  row.findings = std::move(findings);
  return row;
}

Finding race(int line) { return {Kind::race, fmt::format("shared a[0] (a.cu:{})", line)}; }
const Finding kWrong{Kind::mismatch, "y: wrong", "y"};

// Runs the kernel `shows`, of a size and a device, with one candidate of each smaller size.
struct Shrinks {
  std::function<Findings(int, const std::string&)> shows;
  std::vector<std::string> made = {};      // "cpu n=3 RACE, MISMATCH"
  std::vector<std::string> left_out = {};  // "13"

  ResultRow run(int n, const std::string& device) const { return row_of(n, device, shows(n, device)); }
  void operator()(const std::vector<ResultRow>& rows) {
    const DefectShrinking with{
        .shrink = [&](const ResultRow& failing, const auto& same) -> std::optional<ResultRow> {
          for (int n = 1; n < failing.c.dim("n"); ++n)
            if (ResultRow row = run(n, failing.device); same(row)) {
              row.shrunk_from = failing.line();
              return row;
            }
          return std::nullopt;
        },
        .run = [&](const Case& c, const std::string& device) { return run(static_cast<int>(c.dim("n")), device); },
        .stopped = [] { return false; },
        .begins = [](const ResultRow&) {},
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
  Shrinks shrink{[](int n, const std::string& device) {
    if (n < 4) return Findings{};
    return Findings{device == kCheckedDevice ? race(10) : kWrong};
  }};
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

TEST(ShrinkDefects, PassesAreLeftAlone) {
  Shrinks shrink{[](int, auto&) { return Findings{}; }};
  shrink({shrink.run(3, "cpu")});
  EXPECT_THAT(shrink.made, IsEmpty());
}

}  // namespace
}  // namespace assay
