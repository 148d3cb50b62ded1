// Which findings are the kernel's own fault though no candidate is right, with findings in place of runs.
#include "harness/adapter/try/test_tries.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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

// A product that is added to an output, whose kernel reads it before it is written where nothing is added to it.
TEST_F(Tries, TakesNoSumForNearWhoseOutputIsReadUnwrittenInAnotherForm) {
  distance_ = {{TrySizes::small, {{"a", 0.6}}}, {TrySizes::large, {{"a", 0.05}}}};
  std::vector<Inferred> all = {candidate("a"), candidate("a")};
  all[0].adapter.fixed = {{"accumulate", "1"}};
  all[1].adapter.fixed = {{"accumulate", "0"}};
  finding_["a 0"] = "MISMATCH: y: 7 of 7 elements are wrong";
  EXPECT_TRUE(Trying(common_, try_, load_).first_right(all).value());
  finding_["a 0"] = "UNINITIALISED: kernel k block (0,0,0): c[0]: read by thread (0,0,0)";
  EXPECT_FALSE(Trying(common_, try_, load_).first_right(all).value());
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

TEST_F(Tries, BlamesTheKernelForABlockThatNoDeviceHas) {
  finding_ = {{"a", "CRASH: kernel k: launch refused: block (128,128,1), but a block has at most 1024 threads"}};
  Inferred own = candidate("a");
  own.adapter.launches[0].block = {"128", "128"};
  EXPECT_FALSE(*Trying(common_, try_, load_).first_right({own})) << "a block that is guessed";
  own.authors_line = 40;
  const auto found = Trying(common_, try_, load_).first_right({own});
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE((*found)->is_certain);
  own.adapter.launches[0].block = {"S", "128"};
  EXPECT_FALSE(*Trying(common_, try_, load_).first_right({own})) << "smaller sizes may be meant";
}

// A norm without its weights, by a function of the file that is given what it is named for.
TEST_F(Tries, BlamesTheKernelForARaceOfALauncherOfWhichNothingElseIsGuessed) {
  Inferred one = candidate("x");
  one.adapter.launches[0].is_launcher = true;
  one.guesses = {"k computes embedding_backward without g"};
  const std::vector<Inferred> all = {one, candidate("other")};
  finding_ = {{"x", "RACE: kernel k block (0,0,0): shared s[0]: read by thread (32,0,0) (k.cu:46) after write"},
              {"other", "UNWRITTEN: y"}};
  const auto found = Trying(common_, try_, load_).first_right(all);
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE((*found)->is_certain);
  finding_["x"] = "OUT_OF_BOUNDS: kernel k: x[7]: read (k.cu:4)";
  EXPECT_TRUE(*Trying(common_, try_, load_).first_right(all)) << "it is called so alone";
  one.guesses.emplace_back("n is S");
  EXPECT_FALSE(*Trying(common_, try_, load_).first_right({one, candidate("other")}));
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

TEST_F(Tries, BelievesNoValuesOfWhatGoesBeyondItsOwnArrays) {
  finding_ = {{"a", "OUT_OF_BOUNDS: kernel k block (0,0,0): index 16 of 'float [16]': write (k.cu:4)"}};
  finding_of_values_ = {{"a", ""}};
  EXPECT_FALSE(trying_.first_right({candidate("a")}).value());
  finding_["a"] = "RACE: kernel k block (0,0,0): shared s[0]: read by thread (32,0,0) (k.cu:46) after write";
  EXPECT_TRUE(Trying(common_, try_, load_).first_right({candidate("a")}).value());
}

// Three of its calls race, and none is right: another tile than those that were guessed may have no race.
TEST_F(Tries, BlamesNoKernelForAnEndThatArgumentsMayHaveMade) {
  const std::string race = "RACE: kernel k block (0,0,0): shared s[0]: read by thread (32,0,0) (k.cu:46) after write";
  std::vector<Inferred> all = {candidate("a"), candidate("b"), candidate("c")};
  for (Inferred& each : all) each.authors_line = 12, each.guesses = {"BLOCK_N is S"};
  finding_ = {{"a", race}, {"b", race}, {"c", race}};
  EXPECT_FALSE(Trying(common_, try_, load_).first_right(all).value());
  for (auto& [argument, why] : finding_) why = "CRASH: killed by signal 11 (Segmentation fault): kernel k, k.cu:29";
  EXPECT_FALSE(Trying(common_, try_, load_).first_right(all).value());
}

TEST_F(Tries, BlamesTheKernelForWhatItsOwnLaunchEndsInWheneverItIsTried) {
  std::vector<Inferred> all = {candidate("a"), candidate("guessed")};
  all[0].authors_line = 12;
  all[0].guesses = {"ids is distinct"}, all[0].adapter.fixed = {{"ids", "distinct"}};
  const std::string finding = "OUT_OF_BOUNDS: kernel k: x[7]: read (k.cu:4)";
  finding_ = {{"a", finding}};
  const auto found = Trying(common_, try_, load_).first_right(all).value();
  ASSERT_TRUE(found) << "nothing of the call is a guess";
  EXPECT_TRUE(found->is_certain);
  all.push_back(all[0]);
  all[2].adapter.launches[0].args[0] = "own too";
  EXPECT_FALSE(Trying(common_, try_, load_).first_right(all).value()) << "another order has other findings";
  finding_["own too"] = finding;
  EXPECT_TRUE(Trying(common_, try_, load_).first_right(all).value());
  for (Inferred& each : all) each.guesses = {"n is S"};
  EXPECT_FALSE(Trying(common_, try_, load_).first_right(all).value()) << "a size may be wrong";
  for (Inferred& each : all) each.guesses = {"x is g"};
  EXPECT_FALSE(Trying(common_, try_, load_).first_right(all).value()) << "a tensor may be another, and longer";
  for (auto& [argument, why] : finding_)
    why = "UNINITIALISED: kernel k block (0,0,0): shared s[0]: read by thread (0,0,0) (k.cu:46)";
  EXPECT_TRUE(Trying(common_, try_, load_).first_right(all).value()) << "no tensor is in a block's own memory";
  for (auto& [argument, why] : finding_) why = "MISMATCH: y: 3 of 7 elements are wrong";
  EXPECT_FALSE(Trying(common_, try_, load_).first_right(all).value()) << "it may have another form";
}

TEST_F(Tries, BlamesTheKernelForWhatItsLikeliestCallEndsInWhereOnlyTensorsAndFormsAreGuessed) {
  const std::string race = "RACE: kernel k block (0,0,0): shared s[0]: read by thread (32,0,0) (k.cu:46) after write";
  std::vector<Inferred> all = {candidate("likely"), candidate("other"), candidate("third")};
  for (Inferred& each : all) each.authors_line = 12, each.agrees_with_indices = true;
  all[0].guesses = {"out is dw in the place of g"};
  all[0].adapter.launches[0].block = {"256"};
  finding_ = {{"likely", race}, {"other", "OUT_OF_BOUNDS: kernel k: x[7]: read (k.cu:4)"}};
  finding_["third"] = "UNWRITTEN: dw: 3 of 7 elements";
  const auto tried = [&] { return Trying(common_, try_, load_).first_right(all).value(); };
  ASSERT_TRUE(tried());
  EXPECT_TRUE(tried()->is_certain);
  all[0].guesses.emplace_back("n is S");
  EXPECT_FALSE(tried()) << "another size may have none";
  all[0].guesses = {"x is g"};
  EXPECT_TRUE(tried());
  all[1].adapter.launches[0].args[2] = "nullptr";
  EXPECT_FALSE(tried()) << "without that pointer there may be none";
  all[1].adapter.launches[0].args[2] = "g";
  all[0].agrees_with_indices = false;
  EXPECT_FALSE(tried()) << "names contradict indices";
  all[0].agrees_with_indices = true;
  for (Inferred& each : all) each.authors_line = 0, each.filled_line = 12;
  EXPECT_TRUE(tried()) << "no grid makes a race of a block's threads";
  all[0].adapter.launches[0].block = {"block"};
  EXPECT_FALSE(tried()) << "of a block that nobody knows";
  for (Inferred& each : all) each.filled_line = 0, each.any_block_line = 12;
  EXPECT_TRUE(tried()) << "of any block that a caller gives";
  finding_["likely in one warp"] = "UNWRITTEN: dw";
  EXPECT_FALSE(tried()) << "one warp may be meant, and have none";
  finding_.erase("likely in one warp");
  for (Inferred& each : all) each.any_block_line = 0;
  all[0].adapter.launches[0].block = {"256"};
  for (Inferred& each : all) each.authors_line = 12;
  const std::string mismatch = "MISMATCH: y: 7 of 7 elements are wrong";
  finding_["likely"] = "OUT_OF_BOUNDS: kernel k: y[7]: write (k.cu:5)";
  EXPECT_FALSE(tried()) << "another tensor may be longer";
  all[0].guesses = {"init is zero"};
  EXPECT_TRUE(tried()) << "names say all but the form, and the launch is the file's";
  finding_["likely"] = "UNWRITTEN: dw: 7 of 7 elements";
  EXPECT_FALSE(tried()) << "its grid may be for one size";
  all[0].guesses = {"x is g"};
  finding_["likely"] = mismatch;
  EXPECT_TRUE(tried()) << "all is written by the file's own launch";
  all[0].authors_line = 0;
  EXPECT_FALSE(tried()) << "the launch is a guess";
  all[0].adapter.launches[0].is_launcher = true;
  EXPECT_TRUE(tried()) << "a function of the file is called as it is";
  all[0].adapter.launches[0].is_launcher = false;
  all[0].authors_line = 12;
  all.push_back(all[0]);
  all[3].adapter.fixed = {{"form", "tanh"}}, all[0].adapter.fixed = {{"form", "erf"}};
  finding_["likely tanh"] = "UNWRITTEN: dw: 3 of 7 elements", finding_["likely erf"] = mismatch;
  EXPECT_FALSE(tried()) << "another form ends otherwise";
  all.pop_back();
  all[0].adapter.fixed.clear();
  for (Inferred& each : all) each.adapter.launches[0].args = all[0].adapter.launches[0].args;
  EXPECT_TRUE(tried()) << "there is no other call";
  finding_["likely"] = "JUDGE_CRASH: not done after 2 s: outside the kernel";
  EXPECT_FALSE(tried()) << "its sizes are large";
  finding_["likely"] = mismatch;
  all[2].adapter.launches[0].args.back() = "dw";
  finding_["likely"] = "BARRIER: kernel k block (1,0,0): waits for ever (k.cu:5)";
  EXPECT_TRUE(tried());
  all[0].adapter.fixed = {{"ids", "distinct"}};
  all.push_back(all[0]);
  all[3].adapter.fixed[0].value = "repeated";
  finding_["likely repeated"] = mismatch;
  finding_["likely distinct"] = finding_["likely"];
  EXPECT_FALSE(tried()) << "the other form may be the right one";
}

TEST_F(Tries, DoesNotBlameTheKernelWhereTheLaunchIsGuessed) {
  finding_ = {{"a", "RACE: kernel k block (0,0,0): shared s[0]: read"}};
  finding_of_values_ = {{"a", ""}};
  Inferred guessed = candidate("a");
  guessed.launch_guesses = {"the block is 32"};
  EXPECT_FALSE(trying_.first_right({guessed}).value());
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

TEST_F(Tries, BlamesTheKernelForLanesThatHaveReturnedWhateverItIsGiven) {
  std::vector<Inferred> all = {candidate("a"), candidate("b"), candidate("c")};
  for (Inferred& each : all) {
    each.authors_line = 7, each.agrees_with_indices = true, each.guesses = {"x is g"};
    finding_[each.adapter.launches[0].args[0]] =
        "BARRIER: kernel k block (0,0,0): lane 0 reads lane 16 in __shfl_*_sync (k.cu:33) with mask 0xffffffff, but "
        "that lane has returned from the kernel";
  }
  const auto found = trying_.first_right(all);
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE((*found)->is_certain);
  for (Inferred& each : all) each.guesses = {"n is S"};
  EXPECT_FALSE(Trying(common_, try_, load_).first_right(all).value()) << "of another size none may return";
}

}  // namespace
}  // namespace assay
