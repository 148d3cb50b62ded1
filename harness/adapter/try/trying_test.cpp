// Tests which candidate is taken, and the message where none is right, with findings in place of runs.
#include "harness/adapter/try/test_tries.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(Tries, TakesTheFirstThatIsRight) {
  finding_ = finding_of_plain_ = finding_of_out_of_range_ = {{"b", ""}, {"c", ""}};
  const auto found = trying_.first_right({candidate("a"), candidate("b"), candidate("c")});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->candidate, 1u);
  EXPECT_THAT((*found)->ranges, IsEmpty());
  EXPECT_EQ(loads_, 1u);
}

TEST_F(Tries, DoesNotTryAgainWhatDidNotEnd) {
  finding_ = {{"a", "TIMEOUT: not done after 2 s"}};
  finding_of_plain_ = {{"a", ""}};
  finding_of_out_of_range_ = {{"a", "OUT_OF_BOUNDS: dw[-3]"}};
  const auto found = trying_.first_right({candidate("a")});
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

// Five cases need not have every kind of data.
TEST_F(Tries, LooksAtKindsOfDataThatNoTriedCaseHad) {
  finding_ = finding_of_plain_ = {{"a", ""}};
  finding_of_out_of_range_ = {{"a", "OUT_OF_BOUNDS: dw[-3]"}};
  const auto found = trying_.first_right({candidate("a")});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->candidate, 0u);
  EXPECT_THAT((*found)->left_out, ElementsAre("ids = out_of_range (OUT_OF_BOUNDS: dw[-3])"));
}

TEST_F(Tries, LeavesOutDataForWhichACandidateIsNotRight) {
  finding_ = {{"b", "OUT_OF_BOUNDS: dw[-3]"}};
  finding_of_plain_ = {{"b", ""}};
  finding_of_out_of_range_ = {{"b", "OUT_OF_BOUNDS: dw[-3]"}};
  const auto found = trying_.first_right({candidate("a"), candidate("b")});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->candidate, 1u);
  ASSERT_THAT((*found)->ranges, SizeIs(1)) << "the other attribute is right whatever it is";
  EXPECT_EQ((*found)->ranges[0].name, "ids");
  EXPECT_THAT((*found)->ranges[0].values, ElementsAre("distinct", "repeated"));
  EXPECT_THAT((*found)->left_out, ElementsAre("ids = out_of_range (OUT_OF_BOUNDS: dw[-3])"));
}

// A candidate that takes `losses` for every row's own loss is asked about padding, and not about a formula that it does
// not have.
TEST_F(Tries, LeavesWhatACandidateSettlesAsItIs) {
  common_.op = "cross_entropy_forward_backward";
  Inferred of_rows = candidate("a");
  of_rows.adapter.op = common_.op;
  of_rows.adapter.launches[0].args.push_back("loss");
  of_rows.adapter.fixed = {{"loss", "rows"}};
  finding_of_plain_ = {{"a", ""}};
  finding_of_out_of_range_ = {{"a", ""}};
  asked_of_ = "loss";
  finding_["a"] = "OUT_OF_BOUNDS: logits[-1]";
  const auto found = trying_.first_right({of_rows});
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found) << "every kind of data is right, so it is wrong somewhere else";
  EXPECT_THAT(asked_, testing::Each("total")) << "nothing but the plain data of the others";
}

TEST_F(Tries, DoesNotTakeACandidateThatIsWrongForDataOfNoOneKind) {
  finding_of_plain_ = finding_of_out_of_range_ = {{"a", ""}};
  const auto found = trying_.first_right({candidate("a")});
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

// A launch that is made for squares is not replaced in silence, and what it should be is known soon.
TEST_F(Tries, TriesTheAxesOfTheAuthorsGridTheOtherWayRoundNext) {
  Inferred own = candidate("a"), turned = own;
  own.authors_line = 40;
  own.adapter.launches[0].grid = {"m", "n"};
  turned.adapter.launches[0].grid = {"n", "m"};
  std::vector<Inferred> all(12, own);
  for (size_t i = 1; i < all.size(); ++i) all[i].adapter.launches[0].grid = {"m", std::to_string(i)};
  all.push_back(turned);
  finding_ = {{"a", "OUT_OF_BOUNDS: y[7]: written by thread (7,0,0) (k.cuh:7)"}};
  ASSERT_TRUE(trying_.first_right(all));
  ASSERT_GE(grids_.size(), 5u);
  EXPECT_THAT(grids_[4], ElementsAre("n", "m"));
  finding_ = {{"a", "MISMATCH: y: 7 of 7 elements are wrong"}};
  grids_.clear();
  ASSERT_TRUE(Trying(common_, try_, load_).first_right(all));
  EXPECT_THAT(grids_.at(4), ElementsAre("m", "4")) << "wrong values say nothing about the grid";
}

TEST_F(Tries, TriesOneRowNextWhereTheSecondIsWrong) {
  std::vector<Inferred> all(12, candidate("a"));
  for (size_t i = 1; i < all.size(); ++i) all[i].adapter.launches[0].args[1] = std::to_string(i);
  Inferred row = all[0];
  row.adapter.fixed = {{"S", "1"}};
  row.cost = 9;
  all.push_back(row);
  finding_ = {{"a", "UNWRITTEN: 3 of 7 elements of output y were never written, the first at [1,0]"}};
  ASSERT_TRUE(trying_.first_right(all));
  EXPECT_EQ(held_.at(4), 1u);
  finding_ = {{"a", "UNWRITTEN: 3 of 7 elements of output y were never written, the first at [0,4]"}};
  held_.clear();
  ASSERT_TRUE(Trying(common_, try_, load_).first_right(all));
  EXPECT_EQ(held_.at(4), 0u) << "the first row is wrong, too";
  all.back().adapter.fixed.push_back({"B", "1"});
  held_.clear();
  ASSERT_TRUE(Trying(common_, try_, load_).first_right(all));
  EXPECT_EQ(held_.at(4), 2u) << "one batch may be all that it knows";
}

// As many blocks as a row has elements suffice for a few rows.
TEST_F(Tries, AsksLargerCasesWhetherAGridThatIsFilledInSuffices) {
  finding_ = {{"a", ""}, {"b", ""}};
  finding_of_large_ = {{"a", "UNWRITTEN: 1528 of 2040 elements of output y"}};
  Inferred filled = candidate("a");
  filled.filled_line = 12;
  const auto found = Trying(common_, try_, load_).first_right({filled, candidate("b")});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->candidate, 1u);
  const auto is_taken = [&](const Inferred& one) {
    return Trying(common_, try_, load_).first_right({one, candidate("b")}).value()->candidate == 0u;
  };
  finding_["a"] = "OUT_OF_BOUNDS: w[-3]";
  finding_of_plain_ = {{"a", ""}};
  finding_.erase("b");
  finding_of_plain_["b"] = "";
  finding_of_out_of_range_ = {{"a", "OUT_OF_BOUNDS: w[-3]"}, {"b", "OUT_OF_BOUNDS: w[-3]"}};
  EXPECT_FALSE(is_taken(filled)) << "nor with plain data";
  filled.filled_line = 0;
  EXPECT_TRUE(is_taken(filled));
}

TEST_F(Tries, TakesTheOnlyWrongOutputAway) {
  std::vector<Inferred> all = {candidate("a")};
  for (int i = 0; i < 30; ++i) {
    all.push_back(candidate("x" + std::to_string(i)));
    all.back().adapter.launches[0].args[1] = std::to_string(i);
  }
  all.push_back(candidate("workspace"));
  const auto tried = [&](const std::string& why) {
    finding_ = {{"workspace", ""}, {"a", why}};
    Trying trying(common_, try_, load_);
    EXPECT_TRUE(trying.first_right(all).value());
    return trying.tried();
  };
  EXPECT_EQ(tried("MISMATCH: a: 7 of 7 elements are wrong, the first at [0]"), 4u) << "the first batch";
  EXPECT_GT(tried("MISMATCH: a: 6 of 7 elements are wrong, the first at [0]"), 20u);
  EXPECT_GT(tried("MISMATCH: b: 7 of 7 elements are wrong, the first at [0]"), 20u);
  EXPECT_GT(tried("MISMATCH: a: 7 of 7 elements are wrong; b: 7 of 7 elements are wrong"), 20u);
}

TEST_F(Tries, TakesAGuessedLaunchWithAThreadForEachElement) {
  const std::string race = "RACE: kernel k block (0,0,0): shared s[0]: read";
  finding_ = {{"a", race}};
  finding_of_values_ = {{"a", ""}};
  Inferred guessed = candidate("a");
  guessed.launch_guesses = {"the block is 32 by 8"};
  guessed.adapter.launches[0].grid = {"ceil_div(cols, 32)", "ceil_div(rows, 8)"};
  guessed.adapter.launches[0].block = {"32", "8"};
  EXPECT_TRUE(trying_.first_right({guessed}).value());
  guessed.adapter.launches[0].block = {"32", "4"};
  EXPECT_FALSE(Trying(common_, try_, load_).first_right({guessed}).value());
}

TEST_F(Tries, TellsDistinctReasonsTheNearestMissFirst) {
  finding_ = {{"a", "OUT_OF_BOUNDS: kernel k: x[15]: read by thread (1,0,0) (k.cu:19), 4 times"},
              {"b", "OUT_OF_BOUNDS: kernel k: x[77]: read by thread (9,0,0) (k.cu:19), 8 times"},
              {"c", "OUT_OF_BOUNDS: kernel k: x[77]: read by thread (9,0,0) (k.cu:191), 8 times"},
              {"d", "MISMATCH: y: 3 of 485 elements are wrong"}};
  passed_ = {{"d", 3}};
  const std::vector<Inferred> all = {candidate("a"), candidate("b"), candidate("c"), candidate("d")};
  EXPECT_FALSE(trying_.first_right(all).value());
  EXPECT_EQ(trying_.nearest(), 3u);
  const auto reasons = trying_.reasons(all);
  ASSERT_THAT(reasons, SizeIs(3));
  EXPECT_THAT(reasons[0],
              HasSubstr("k(d, ids, g) in a grid of 1 and blocks of block: 3 of 5 cases right, then MISMATCH"));
  EXPECT_THAT(reasons[1], HasSubstr("x[15]"));
  EXPECT_THAT(reasons[1], HasSubstr("(2 candidates alike)"));
  EXPECT_THAT(reasons[2], HasSubstr("k.cu:191"));
}

// None of too few cases failed, which says nothing of the candidate.
TEST_F(Tries, ListsCandidatesThatFewCasesSuitLast) {
  finding_ = {{"a", "too few cases suit it"}, {"b", "MISMATCH: y: 3 of 485 elements are wrong"}};
  cases_ = {{"a", 2}};
  passed_ = {{"a", 2}};
  EXPECT_FALSE(trying_.first_right({candidate("a"), candidate("b")}).value());
  EXPECT_EQ(trying_.nearest(), 1u);
}

TEST_F(Tries, NamesTheCompilersErrorWhereNothingCompiles) {
  compiles_ = false;
  const auto found = trying_.first_right({candidate("a"), candidate("b")});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "error: what is that?");
}

TEST_F(Tries, TryAnotherFormNextOfACallThatIsRightInSomeCases) {
  const auto form = [](const std::string& choice) {
    Inferred one = candidate("a");
    one.adapter.fixed = {{"causal", choice}};
    return one;
  };
  std::vector<Inferred> all = {form("0")};
  for (int i = 0; i < 20; ++i) all.push_back(candidate("b"));
  all.push_back(form("1"));
  all.back().cost = 3;
  (void)Trying(common_, try_, load_).first_right(all);
  EXPECT_EQ(held_.at(4), 0u) << "in order";
  held_.clear();
  passed_["a"] = 2;
  (void)Trying(common_, try_, load_).first_right(all);
  EXPECT_EQ(held_.at(4), 1u) << "at once";
}

}  // namespace
}  // namespace assay
