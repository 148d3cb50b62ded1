// Which cases a launch of the file's own may not retreat to.
#include "harness/adapter/try/explanations.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Inferred launched(const std::string& grid) {
  Inferred one;
  one.authors_line = 12;
  one.adapter.launches = {{.entry = "k", .args = {"x", "T * E"}, .grid = {grid}, .block = {"256"}}};
  return one;
}

TEST(Explanations, FewerCasesThanTheGridSharesOutAreARetreat) {
  const Inferred own = launched("ceil_div(T * E, 256)");
  const auto retreats = [&](std::vector<std::string> requirements, std::vector<Fixed> fixed, const Inferred& from) {
    Adapter other = from.adapter;
    other.requirements = std::move(requirements);
    other.fixed = std::move(fixed);
    return is_retreat(from, other);
  };
  EXPECT_TRUE(retreats({"E % 256 == 0"}, {}, own));
  EXPECT_TRUE(retreats({"E % 256 == 0"}, {{"T", "1"}}, own));
  EXPECT_TRUE(retreats({}, {{"T", "1"}}, launched("T")));
  EXPECT_FALSE(retreats({}, {}, own)) << "all cases";
  EXPECT_FALSE(retreats({}, {{"rows", "1"}}, own)) << "the grid knows no rows";
  EXPECT_TRUE(retreats({}, {{"T", "E"}}, own)) << "squares alone";
  EXPECT_FALSE(retreats({}, {{"T", "K"}}, own)) << "the grid knows no K";
  Adapter square = own.adapter;
  square.launches[0].grid = {"ceil_div(E * E, 256)"};
  square.fixed = {{"T", "E"}};
  EXPECT_TRUE(is_retreat(own, square)) << "the call is another one by its words alone";
  EXPECT_FALSE(retreats({"K % 16 == 0"}, {}, own)) << "a step of the kernel's own";
  EXPECT_TRUE(retreats({"K % 16 == 0", "E % 16 == 0"}, {}, own)) << "and one of the grid's";
  EXPECT_TRUE(retreats({"E % 16 == 0"}, {}, launched("(E + 15) / 16")));
  EXPECT_FALSE(retreats({"E % 256 == 0"}, {}, launched("T * E / 256"))) << "its author has whole blocks";

  Inferred guessed = own;
  guessed.authors_line = 0;
  EXPECT_FALSE(retreats({}, {{"T", "1"}}, guessed));
  Adapter other = own.adapter;
  other.fixed = {{"T", "1"}};
  other.launches[0].block = {"64"};
  EXPECT_FALSE(is_retreat(own, other)) << "another launch";
}

TEST(Explanations, OfNumbersThatTheOpComputesWithAFractionIsNoGuessToBlameAKernelUnder) {
  Inferred one = launched("T");
  one.adapter.op = "causal_softmax";
  one.guesses = {"scale is 0.125"};
  EXPECT_TRUE(guesses_a_number(one));
  one.guesses = {"H is 32", "out is probs"};
  EXPECT_FALSE(guesses_a_number(one));
  one.adapter.op = "gemm";
  one.guesses = {"layout is nn", "accumulate is 1"};
  EXPECT_FALSE(guesses_a_number(one)) << "another form, whose values are not near";
}

TEST(Explanations, AnotherFormIsTheSameCallForAnotherChoice) {
  Adapter one = launched("T").adapter;
  one.fixed = {{"causal", "0"}};
  Adapter other = one;
  other.fixed = {{"causal", "1"}};
  EXPECT_TRUE(is_another_form(one, other));
  Adapter more = other;
  more.requirements = {"E % 4 == 0"};
  EXPECT_FALSE(is_another_form(one, more));
  other.launches[0].args = {"x", "T"};
  EXPECT_FALSE(is_another_form(one, other));
}

TEST(Explanations, AGuessedLaunchForPartOfTheCasesShowsNothingOfTheOthers) {
  Inferred taken = launched("T");
  taken.authors_line = 0;
  taken.adapter.op = "layer_norm_forward";
  taken.launch_guesses = {"the grid's x is T"};
  EXPECT_EQ(narrowed_to(taken), "");
  Inferred row = taken;
  row.adapter.fixed = {{"T", "1"}, {"eps", "1e-5"}};
  row.guesses = {"T is 1", "eps is 1e-5"};
  EXPECT_EQ(narrowed_to(row), "T is 1");
  row.launch_guesses.clear();
  EXPECT_EQ(narrowed_to(row), "T is 1") << "the file's own launch has a block for each row";
  row.adapter.launches[0].grid = {"1"};
  EXPECT_EQ(narrowed_to(row), "") << "the file's own launch has one row";
  Inferred whole = taken;
  whole.adapter.requirements = {"E % 2 == 0", "E % 32 == 0"};
  whole.stated_requirements = 1;
  EXPECT_EQ(narrowed_to(whole), "E % 32 == 0");
  whole.adapter.launches[0].grid = {"ceil_div(T * E, 256)"};
  EXPECT_EQ(narrowed_to(whole), "E % 32 == 0") << "nobody is behind the end";
  row.launch_guesses = taken.launch_guesses;
  row.adapter.launches[0].grid = {"ceil_div(T * E, 256)"};
  EXPECT_EQ(narrowed_to(row), "") << "a thread for each element";
  Inferred zeros = launched("T");
  zeros.reads_zeros = true;
  EXPECT_EQ(narrowed_to(zeros), "what is only read holds 0") << "a bias, perhaps";
  Inferred unscaled = launched("T");
  unscaled.adapter.op = "attention_forward";
  unscaled.adapter.fixed = {{"scale", "1"}};
  EXPECT_EQ(narrowed_to(unscaled), "") << "it is given so";
  unscaled.guesses = {"scale is 1"};
  EXPECT_EQ(narrowed_to(unscaled), "scale is 1") << "the root of D may have been forgotten";
  Inferred turned = launched("T");
  turned.exchanged = "line 4 does not pass E for T and T for E";
  EXPECT_EQ(narrowed_to(turned), turned.exchanged);
}

TEST(Explanations, FormsAreNoPartOfACall) {
  const std::string race = "RACE: kernel k block (0,0,0): shared s[0]: read by thread (0,0,0) (k.cu:4)",
                    stray = "OUT_OF_BOUNDS: kernel k: x[7]: read (k.cu:4)";
  Inferred one = launched("T");
  one.adapter.op = "gelu_forward";
  one.adapter.fixed = {{"form", "tanh"}, {"N", "9"}};
  one.adapter.launches[0].args = {"x", "y", "N"};
  EXPECT_FALSE(leaves_only_forms(one, stray, {one})) << "it has no form to leave";
  one.guesses = {"form is tanh"};
  EXPECT_TRUE(leaves_only_forms(one, stray, {one}));
  one.guesses = {"form is tanh", "out is y"};
  EXPECT_TRUE(leaves_only_forms(one, race, {one})) << "no tensor makes a race";
  EXPECT_FALSE(leaves_only_forms(one, stray, {one})) << "another may be longer";
  one.guesses = {"in is x"};
  Inferred without = one;
  without.adapter.launches[0].args[0] = "nullptr";
  EXPECT_TRUE(leaves_only_forms(one, race, {one}));
  EXPECT_FALSE(leaves_only_forms(one, race, {one, without}));
  one.guesses = {"N is 9"};
  EXPECT_FALSE(leaves_only_forms(one, race, {one})) << "a size";
}

TEST(Explanations, AGuessedLaunchMayLeaveElementsUnwritten) {
  Inferred guessed = launched("T");
  guessed.launch_guesses = {"the grid's x is T"};
  EXPECT_TRUE(may_be_of_guessed_launch(guessed, "UNWRITTEN: 3 of 7 elements"));
  EXPECT_TRUE(may_be_of_guessed_launch(guessed, "OUT_OF_BOUNDS: y[7]: write"));
  EXPECT_FALSE(may_be_of_guessed_launch(guessed, "MISMATCH: y: 1 of 7 elements are wrong"));
  EXPECT_FALSE(may_be_of_guessed_launch(launched("T"), "UNWRITTEN: 3 of 7 elements")) << "nothing of it is guessed";
  Inferred each = launched("ceil_div(T * E, 256)");
  each.launch_guesses = guessed.launch_guesses;
  EXPECT_FALSE(may_be_of_guessed_launch(each, "UNWRITTEN: 3 of 7 elements")) << "it has a thread for each";
}

// With whole blocks no thread is behind the end, and its comparison is never needed.
TEST(Explanations, AKernelThatGoesPastTheSizeItComparesWithIsNotGivenWholeBlocks) {
  const std::string finding = "OUT_OF_BOUNDS: kernel k block (0,0,0): x[64]: read by thread (64,0,0)";
  Inferred tried = launched("T"), row = tried;
  tried.bound = "n";
  row.adapter.launches[0].block = {"E"};
  EXPECT_TRUE(hides_the_end(tried, finding, row.adapter));
  EXPECT_FALSE(hides_the_end(tried, "UNWRITTEN: 1 of 64 elements", row.adapter)) << "its blocks may be too few";
  EXPECT_FALSE(hides_the_end(tried, finding, tried.adapter)) << "all cases";
  Inferred whole = tried;
  whole.adapter.requirements = {"E % 256 == 0"};
  EXPECT_TRUE(hides_the_end(tried, finding, whole.adapter));
  row.adapter.launches[0].args[1] = "E";
  EXPECT_FALSE(hides_the_end(tried, finding, row.adapter)) << "of another size";
  row = tried;
  row.adapter.launches[0].block = {"E"};
  tried.bound.clear();
  EXPECT_FALSE(hides_the_end(tried, finding, row.adapter))
      << "it compares with nothing: parts of blocks are not for it";
}

TEST(Explanations, OneBlockIsNotTheFilesGrid) {
  Inferred own = launched("32");
  Inferred row = own;
  row.authors_line = 0;
  row.adapter.launches[0].grid = {"T"};
  row.adapter.fixed = {{"T", "1"}};
  EXPECT_TRUE(is_one_block_of(own, row.adapter));
  Inferred rows = row;
  rows.adapter.fixed = {{"T", "32"}};
  EXPECT_FALSE(is_one_block_of(own, rows.adapter));
  EXPECT_FALSE(is_one_block_of(launched("1"), row.adapter)) << "it has one, too";
  EXPECT_FALSE(is_one_block_of(launched("T"), row.adapter)) << "a grid by a size is is_retreat()'s";
  own.authors_line = 0;
  EXPECT_FALSE(is_one_block_of(own, row.adapter));
}

TEST(Explanations, OtherBlocksAreTriedNextWhereTheAuthorsGiveWrongValues) {
  const Inferred own = launched("T");
  Inferred any = own;
  any.authors_line = 0;
  any.adapter.launches[0].block = {"block"};
  EXPECT_TRUE(may_explain(any, own, "MISMATCH: y: 3 of 7 elements are wrong"));
  EXPECT_FALSE(may_explain(own, any, "MISMATCH: y: 3 of 7 elements are wrong"));
}

TEST(Explanations, ANumberIsASizeWhereTheCasesHoldIt) {
  Inferred one = launched("T");
  one.adapter.launches[0].args[1] = "T * 2048";
  EXPECT_TRUE(has_number_for_size(one.adapter));
  one.adapter.fixed = {{"E", "2048"}};
  EXPECT_FALSE(has_number_for_size(one.adapter));
  EXPECT_FALSE(has_number_for_size(launched("T").adapter));
}

TEST(Explanations, AGridMayCountWhatTheFileKnowsNothingOf) {
  Adapter own, right;
  own.op = right.op = "softmax_forward";
  own.launches = right.launches = {{.entry = "k", .args = {"y", "cols"}, .grid = {"cols"}}};
  right.launches[0].grid = {"rows"};
  EXPECT_TRUE(has_size_of_its_own(right, own)) << "its matrices are as high as they are wide";
  for (Adapter* each : {&own, &right}) each->launches[0].args.push_back("rows");
  EXPECT_FALSE(has_size_of_its_own(right, own)) << "the grid is of the wrong one";
}

TEST(Explanations, AKernelOfTheSameNameIsAnotherInstance) {
  Inferred half = launched("T"), whole = launched("T");
  half.authors_line = 7;
  EXPECT_FALSE(is_another_instance(half, whole)) << "the same kernel";
  half.overload_line = 3, whole.overload_line = 9;
  EXPECT_TRUE(is_another_instance(half, whole));
  half.authors_line = 0;
  EXPECT_FALSE(is_another_instance(half, whole)) << "nothing launches it";
}

}  // namespace
}  // namespace assay
