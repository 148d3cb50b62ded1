// Failures under a guessed adapter: which stand, and what is withheld.
#include "harness/cli/guessed.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ResultRow row(const std::string& fill, Kind verdict, int cols = 3) {
  Case c;
  c.op = "softmax_forward";
  c.variant = "mine";
  c.fill = fill;
  c.set("rows", "2");
  c.set("cols", std::to_string(cols));
  for (const auto& [name, value] : {std::pair{"causal", "0"}, {"scale", "1"}, {"heads", "1"}}) c.set(name, value);
  return row_for(c, "cpu", verdict, verdict == Kind::pass ? "" : "wrong");
}

const Guesses kGuesses{{"softmax_forward/mine", {"the grid is rows"}}};

// Ordinary data passes for fewer columns than 100.
std::optional<ResultRow> run_small(const Task& task) {
  EXPECT_EQ(task.c.fill, "normal");
  EXPECT_FALSE(task.c.nonzero);
  return row_for(task.c, task.device, task.c.dim("cols") < 100 ? Kind::pass : Kind::mismatch, "");
}

TEST(Guessed, AFailureStandsWhereTheSameShapePassesWithOrdinaryData) {
  std::vector<ResultRow> rows = {row("nan", Kind::mismatch), row("uniform", Kind::pass)};
  rows[0].c.nonzero = 1;
  withhold_guessed(rows, kGuesses, run_small);
  EXPECT_EQ(rows[0].verdict, Kind::mismatch);
  EXPECT_EQ(rows[1].verdict, Kind::pass);
}

TEST(Guessed, AShapeThatFailsWithOrdinaryDataWithholdsAllButWhatStands) {
  std::vector<ResultRow> rows = {row("nan", Kind::mismatch), row("nan", Kind::race, 200), row("normal", Kind::pass)};
  withhold_guessed(rows, kGuesses, run_small);
  EXPECT_EQ(rows[0].verdict, Kind::mismatch);
  EXPECT_EQ(rows[1].verdict, Kind::skipped);
  EXPECT_THAT(rows[1].detail, HasSubstr("the adapter is a guess (the grid is rows), and RACE"));
  EXPECT_THAT(rows[1].detail, HasSubstr("it was RACE: wrong"));
  EXPECT_EQ(rows[2].verdict, Kind::skipped) << "nothing is known then";
}

TEST(Guessed, OrdinaryDataThatFailsIsNotRunAgain) {
  std::vector<ResultRow> rows = {row("normal", Kind::mismatch)};
  withhold_guessed(rows, kGuesses, [](const Task&) -> std::optional<ResultRow> {
    ADD_FAILURE() << "run again";
    return std::nullopt;
  });
  EXPECT_EQ(rows[0].verdict, Kind::skipped);
}

TEST(Guessed, AFaultOfTheKernelsOwnStandsAndNothingElseDoes) {
  std::vector<ResultRow> rows = {row("normal", Kind::race), row("normal", Kind::unwritten)};
  withhold_guessed(rows, {{"softmax_forward/mine", {"y is x", "RACE"}}}, run_small);
  EXPECT_EQ(rows[0].verdict, Kind::race);
  EXPECT_EQ(rows[1].verdict, Kind::skipped);
}

TEST(Guessed, AGuessedGridWithholdsWhatStaysUnwritten) {
  const Guesses grid{{"softmax_forward/mine", {.assumed = "blocks is cols", .of_grid = true}}};
  std::vector<ResultRow> rows = {row("normal", Kind::unwritten), row("normal", Kind::race),
                                 row("normal", Kind::mismatch), row("normal", Kind::pass)};
  std::vector<ResultRow> wrong = {row("normal", Kind::mismatch), row("normal", Kind::pass)};
  withhold_guessed(rows, grid, run_small);
  withhold_guessed(wrong, grid, run_small);
  const auto verdicts = [](const std::vector<ResultRow>& all) {
    std::vector<Kind> each;
    for (const ResultRow& one : all) each.push_back(one.verdict);
    return each;
  };
  EXPECT_THAT(verdicts(rows), ElementsAre(Kind::skipped, Kind::race, Kind::skipped, Kind::skipped));
  EXPECT_THAT(verdicts(wrong), ElementsAre(Kind::mismatch, Kind::pass)) << "every element is written";
}

TEST(Guessed, ADtypeInWhichTheOpsBudgetIsBlindIsNotJudged) {
  std::vector<ResultRow> rows;
  for (const DType dtype : {DType::f32, DType::f16})
    for (int i = 0; i < 40; ++i) {
      rows.push_back(row("normal", Kind::pass));
      rows.back().c.dtype = dtype;
      rows.back().sensitivity = {{.mutant = "lower", .noticed = dtype == DType::f32}};
    }
  std::vector<ResultRow> built_in = rows;
  withhold_blind(rows, {"softmax_forward/mine"});
  EXPECT_EQ(rows[0].verdict, Kind::pass);
  EXPECT_EQ(rows[40].verdict, Kind::skipped);
  EXPECT_THAT(rows[40].detail, HasSubstr("its budget cannot tell right from wrong here: softmax_forward f16 is blind"));
  withhold_blind(built_in, {});
  EXPECT_EQ(built_in[40].verdict, Kind::pass) << "the audit blames the op";
}

TEST(Guessed, AFindingInSharedMemoryStandsAmongNineTimesAsManyThatPass) {
  const auto verdict_beside = [](size_t passed, Kind kind, const std::string& place) {
    std::vector<ResultRow> rows(passed, row("normal", Kind::pass));
    rows.push_back(row("normal", kind));
    rows.back().detail = "kernel k block (0,0,0): " + place + ": write by thread (0,0,0)";
    std::vector<ResultRow> alone = {rows.back()};
    withhold_guessed(rows, kGuesses, run_small);
    withhold_guessed(alone, kGuesses, run_small, passed);
    EXPECT_EQ(alone[0].verdict, rows.back().verdict) << "replayed alone";
    EXPECT_EQ(rows[0].verdict == Kind::pass, rows.back().verdict == kind);
    return rows.back().verdict;
  };
  EXPECT_EQ(verdict_beside(9, Kind::race, "shared sums[3]"), Kind::race);
  EXPECT_EQ(verdict_beside(8, Kind::race, "shared sums[3]"), Kind::skipped);
  EXPECT_EQ(verdict_beside(9, Kind::race, "output[0]"), Kind::skipped);
  EXPECT_EQ(verdict_beside(9, Kind::out_of_bounds, "shared sums[3]"), Kind::skipped) << "too few bytes were given";
}

TEST(Guessed, ATemplateThatNobodyMakesIsHeldToNoDTypeAlone) {
  const auto verdicts = [](Kind in_f32, Kind in_f16) {
    std::vector<ResultRow> rows = {row("normal", in_f32), row("normal", Kind::pass), row("normal", in_f16)};
    rows[1].c.dtype = rows[2].c.dtype = DType::f16;
    withhold_unmade(rows, {"softmax_forward/mine"});
    return std::vector{rows[0].verdict, rows[1].verdict, rows[2].verdict};
  };
  EXPECT_THAT(verdicts(Kind::pass, Kind::mismatch), testing::ElementsAre(Kind::pass, Kind::skipped, Kind::skipped));
  EXPECT_THAT(verdicts(Kind::race, Kind::pass), testing::ElementsAre(Kind::skipped, Kind::pass, Kind::pass));
  EXPECT_THAT(verdicts(Kind::race, Kind::race), testing::ElementsAre(Kind::race, Kind::pass, Kind::race));
}

TEST(Guessed, NothingButTheFaultIsToldOfAKernelThatIsWrongWhateverItIsGiven) {
  std::vector<ResultRow> rows = {row("normal", Kind::race)};
  rows[0].detail = "shared s[0]; schedule=7 shows a wrong value: y: 3 of 3";
  rows[0].findings = {{Kind::race, rows[0].detail}, {Kind::uninitialised, "rstd[0]"}};
  withhold_guessed(rows, {{"softmax_forward/mine", {"y is x", "RACE"}}}, run_small);
  EXPECT_EQ(rows[0].detail, "shared s[0]");
  ASSERT_EQ(rows[0].findings.size(), 1u);
  EXPECT_EQ(rows[0].findings[0].detail, "shared s[0]");
}

TEST(Guessed, AKernelThatWasWrongWhenItWasTriedIsNotRightBecauseNoCaseShowsIt) {
  const std::map<std::string, std::string> seen = {{"softmax_forward/mine", "MISMATCH: y"}};
  std::vector<ResultRow> rows = {row("normal", Kind::pass)};
  withhold_unseen(rows, seen);
  EXPECT_EQ(rows[0].verdict, Kind::skipped);
  EXPECT_THAT(rows[0].detail, HasSubstr("MISMATCH: y"));
  rows = {row("normal", Kind::pass), row("normal", Kind::mismatch, 200)};
  withhold_unseen(rows, seen);
  EXPECT_EQ(rows[0].verdict, Kind::pass) << "another shows it";
}

TEST(Guessed, OtherVariantsAreLeftAlone) {
  std::vector<ResultRow> rows = {row("normal", Kind::mismatch)};
  withhold_guessed(rows, {{"softmax_forward/other", {"a guess"}}}, run_small);
  EXPECT_EQ(rows[0].verdict, Kind::mismatch);
}

}  // namespace
}  // namespace assay
