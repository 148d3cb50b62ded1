// Tests which candidate is taken, and the message where none is right, with findings in place of runs.
#include "harness/adapter/try/test_tries.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// All elements are wrong, by little: with small sizes that may be chance, in larger cases it is not.
TEST_F(Tries, TakesOneWhoseOutputsAreNearInLargerCases) {
  distance_ = {{TrySizes::small, {{"a", 0.6}, {"b", 0.5}, {"c", 0.9}}},
               {TrySizes::large, {{"a", 0.11}, {"b", 0.4}, {"c", 0.01}, {"d", 0.1}}}};
  distance_[TrySizes::small]["d"] = 0.1;
  const auto found = trying_.first_right({candidate("a"), candidate("b"), candidate("c"), candidate("d")});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->candidate, 0u);
  EXPECT_TRUE((*found)->is_nearly_right);
  EXPECT_EQ((*found)->distance, 0.11) << "the first of two that are near";
  distance_[TrySizes::large]["a"] = 0.13;
  EXPECT_FALSE(*Trying(common_, try_, load_).first_right({candidate("a"), candidate("b"), candidate("c")}));
}

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

// A grid that is the file's own is no guess, so what its threads do there is the kernel's.
TEST_F(Tries, FindingsOfTheFilesOwnLaunchAreTheKernelsWhereItsValuesAreRight) {
  finding_ = finding_of_plain_ = {{"a", "OUT_OF_BOUNDS: x[7]: read by thread (7,0,0)"}};
  finding_of_values_ = {{"a", ""}};
  Inferred own = candidate("a");
  const auto of_guess = trying_.first_right({own});
  ASSERT_TRUE(of_guess);
  EXPECT_FALSE(*of_guess);
  own.authors_line = 12;
  Trying again(common_, try_, load_);
  const auto found = again.first_right({own});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->fault, "OUT_OF_BOUNDS: x[7]: read by thread (7,0,0)");
  finding_of_values_ = {{"a", "MISMATCH: y: 1 of 7 elements are wrong"}};
  Trying wrong(common_, try_, load_);
  const auto of_wrong = wrong.first_right({own});
  ASSERT_TRUE(of_wrong);
  EXPECT_FALSE(*of_wrong) << "its arguments may be wrong, too";
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

TEST_F(Tries, BlamesTheKernelForWhatABlockDoesToItselfWhereValuesAreRight) {
  const std::string race = "RACE: kernel k block (0,0,0): shared s[0]: read by thread (32,0,0) (k.cu:46) after write";
  finding_ = {{"a", "UNWRITTEN: y"}, {"b", race}};
  finding_of_values_ = {{"b", ""}};
  const auto found = trying_.first_right({candidate("a"), candidate("b")});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->candidate, 1u);
  EXPECT_EQ((*found)->fault, race);
}

TEST_F(Tries, BlamesTheKernelForTheFewElementsThatAreWrongOfALikelyCandidate) {
  share_ = {{"a", 0.2}, {"b", 0.95}, {"far", 0.99}};
  Inferred far = candidate("far");
  far.cost = 9;
  const auto found = trying_.first_right({candidate("a"), candidate("b"), far});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->candidate, 1u);
  EXPECT_TRUE((*found)->is_nearly_right);
  share_["b"] = 0.8;
  const auto none = Trying(common_, try_, load_).first_right({candidate("a"), candidate("b"), far});
  EXPECT_TRUE(none && !*none);
}

// As where the time is over, or an earlier candidate has passed everything.
TEST_F(Tries, ACandidateThatWasNotRunIsNotNear) {
  TriedCandidate one{.cases = 5, .share = 1, .distance = 0};
  EXPECT_FALSE(one.nearly_right() || one.is_near());
  one.why_not = "UNWRITTEN: 1 of 480 elements of output y";
  EXPECT_TRUE(one.nearly_right() && one.is_near());
  one = {.cases = 2, .passed = 2, .why_not = "too few cases suit it", .share = 1, .distance = 0};
  EXPECT_FALSE(one.nearly_right() || one.is_near());
}

TEST_F(Tries, BlamesNoKernelThatIsNotGivenAnInput) {
  share_ = {{"a", 0.95}};
  Inferred without = candidate("a");
  without.adapter.launches[0].args = {"a", "ids"};
  const auto found = trying_.first_right({without});
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found) << "what it does not write may be right by chance";
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

TEST_F(Tries, BlamesTheKernelForALaneOutsideOfItsOwnMask) {
  finding_ = {{"a", "UNWRITTEN: y"},
              {"b",
               "BARRIER: kernel k: calls __shfl_*_sync (k.cu:5) with mask 0x0000ffff, which does not name its own"
               " lane 16"}};
  const auto found = trying_.first_right({candidate("a"), candidate("b")});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->candidate, 1u);
  EXPECT_TRUE((*found)->is_certain);
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

TEST_F(Tries, BlamesTheKernelForSharedMemoryThatNoKernelMayDeclare) {
  finding_ = {
      {"a",
       "CRASH: kernel k<64>: launch refused: 66816 bytes of static shared memory, but a kernel may declare 49152"}};
  Inferred own = candidate("a");
  EXPECT_FALSE(*Trying(common_, try_, load_).first_right({own})) << "another instance may declare less";
  own.authors_line = 40;
  const auto found = Trying(common_, try_, load_).first_right({own});
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE((*found)->is_certain);
}

TEST_F(Tries, BlamesTheKernelForARaceThatChangesValuesBetweenSchedules) {
  const std::string race = "RACE: kernel k block (0,0,0): shared s[0]: read by thread (32,0,0) (k.cu:46) after write";
  finding_ = {{"a", race}, {"b", race}};
  finding_of_values_ = {{"a", "NONDETERMINISTIC: y"}, {"b", "NONDETERMINISTIC: y"}};
  passed_ = {{"b", 2}};
  const auto found = trying_.first_right({candidate("a"), candidate("b")});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->candidate, 1u) << "of the other no case had right values";
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

TEST_F(Tries, BlamesTheKernelForARaceThatNoArgumentChanges) {
  const std::string race = "RACE: kernel k block (0,0,0): shared s[0]: read by thread (32,0,0) (k.cu:46) after write";
  std::vector<Inferred> all = {candidate("a"), candidate("b"), candidate("c"), candidate("d")};
  for (Inferred& each : all) each.authors_line = 12;
  finding_ = {{"a", race}, {"b", "UNWRITTEN: y"}, {"c", race}, {"d", race}};
  const auto found = trying_.first_right(all);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->candidate, 0u);
  EXPECT_TRUE((*found)->is_certain);

  for (auto& [argument, why] : finding_)
    if (argument != "b") why = "CRASH: killed by signal 11 (Segmentation fault): kernel k block (0,0,0), k.cu:29";
  EXPECT_TRUE(Trying(common_, try_, load_).first_right(all).value()) << "its threads spoil their own stacks";
  for (const char* each : {"a", "c", "d"}) finding_[each] = race;

  std::vector<Inferred> guessed = all;
  for (Inferred& each : guessed) each.authors_line = 0;
  EXPECT_FALSE(Trying(common_, try_, load_).first_right(guessed).value()) << "another launch may have no race";
  finding_["d"] = "UNWRITTEN: y";
  EXPECT_FALSE(Trying(common_, try_, load_).first_right(all).value()) << "two may be chance";
  all[1].adapter.launches[0].args[1] = "7";
  finding_["d"] = race;
  EXPECT_FALSE(Trying(common_, try_, load_).first_right(all).value()) << "another second argument has none";
}

TEST_F(Tries, DoesNotBlameTheKernelWhereTheLaunchIsGuessed) {
  finding_ = {{"a", "RACE: kernel k block (0,0,0): shared s[0]: read"}};
  finding_of_values_ = {{"a", ""}};
  Inferred guessed = candidate("a");
  guessed.launch_guesses = {"the block is 32"};
  EXPECT_FALSE(trying_.first_right({guessed}).value());
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

TEST_F(Tries, BlamesTheKernelForARaceThatSpoilsTheValuesOfSomeCases) {
  const std::string race = "RACE: kernel k block (0,0,0): shared s[0]: read by thread (32,0,0) (k.cu:46) after write";
  finding_ = {{"a", race}};
  finding_of_values_ = {{"a", "MISMATCH: y"}};
  EXPECT_FALSE(trying_.first_right({candidate("a")}).value());
  passed_ = {{"a", 1}};
  const auto found = Trying(common_, try_, load_).first_right({candidate("a")});
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE((*found)->is_right_elsewhere);
}

TEST_F(Tries, DoesNotBlameTheKernelForAccessesToTensors) {
  finding_ = {{"a", "OUT_OF_BOUNDS: kernel k block (0,0,0): x[1552]: read by thread (8,0,0) (k.cu:193)"}};
  finding_of_values_ = {{"a", ""}};
  EXPECT_FALSE(trying_.first_right({candidate("a")}).value()) << "rows may have to be whole vectors";
}

TEST_F(Tries, BlamesTheKernelForAccessesBesideRightCasesOfTheFilesOwnLaunch) {
  finding_ = {{"a", "OUT_OF_BOUNDS: kernel k block (0,0,0): x[1552]: read by thread (8,0,0) (k.cu:193)"}};
  finding_of_values_ = {{"a", "OUT_OF_BOUNDS: x"}};
  passed_ = {{"a", 1}};
  Inferred own = candidate("a");
  own.authors_line = 12;
  EXPECT_FALSE(trying_.first_right({own}).value()) << "one case may suit by chance";
  passed_ = {{"a", 2}};
  EXPECT_FALSE(Trying(common_, try_, load_).first_right({candidate("a")}).value()) << "its blocks may be too many";
  const auto found = Trying(common_, try_, load_).first_right({own});
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE((*found)->is_right_elsewhere);
  own.adapter.launches[0].args[2] = "nullptr";
  EXPECT_FALSE(Trying(common_, try_, load_).first_right({own}).value()) << "it lacks an input";
}

// Indices out of range end in a finding before anything else is seen.
TEST_F(Tries, TakesOneThatIsNearlyRightWithPlainData) {
  finding_ = {{"a", "OUT_OF_BOUNDS: w[-3]"}};
  finding_of_plain_ = {{"a", "UNWRITTEN: 7 of 210 elements of output y"}};
  share_ = {{"a", 0.95}};
  const auto found = trying_.first_right({candidate("a")});
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE((*found)->is_nearly_right);
  EXPECT_THAT((*found)->fault, HasSubstr("UNWRITTEN"));
  EXPECT_THAT((*found)->ranges, Not(IsEmpty())) << "it is judged with such data alone";
  Inferred held = candidate("a");
  held.adapter.fixed = {{"ids", "repeated"}};
  const auto near = Trying(common_, try_, load_).first_right({held});
  ASSERT_TRUE(near && *near);
  EXPECT_EQ(std::ranges::find((*near)->ranges, "ids", &Domain::name), (*near)->ranges.end())
      << "it is for another choice";
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
  EXPECT_THAT(reasons[0], HasSubstr("k(d, ids, g) in a grid of 1 and blocks of block: 3 of 5 cases right, then MISMATCH"));
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

}  // namespace
}  // namespace assay
