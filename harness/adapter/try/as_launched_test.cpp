// Tests that no other launch and no fewer cases take the place of the file's own launch that is wrong.
#include "harness/adapter/try/test_tries.h"

namespace assay {
namespace {

TEST_F(Tries, PutsNoOtherGridInThePlaceOfTheAuthors) {
  Inferred own = candidate("a"), other = own;
  own.authors_line = 40;
  own.adapter.launches[0].grid = {"n / 32"};
  other.adapter.launches[0].grid = {"ceil_div(n, 32)"};
  const Found right{1};
  const std::vector<Inferred> all = {own, other};
  finding_ = {{"a", "UNWRITTEN: 3 of 7 elements of output y"}};
  Trying trying(common_, try_, load_);
  ASSERT_TRUE(trying.first_right({own}));
  const auto found = trying.as_launched(all, right);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->candidate, 0u);
  EXPECT_EQ(found->as_launched, 40);
  std::vector<Inferred> with_other_arguments = all;
  with_other_arguments[1].adapter.launches[0].args[0] = "b";
  EXPECT_FALSE(trying.as_launched(with_other_arguments, right));
  std::vector<Inferred> for_fewer_cases = all;
  for_fewer_cases[1].adapter.requirements = {"n <= block"};
  EXPECT_FALSE(trying.as_launched(for_fewer_cases, right)) << "what is right there says nothing of the others";
}

// A tree over threads is right for blocks of powers of two, and its author launches others.
TEST_F(Tries, BlamesTheAuthorsLaunchForWrongValues) {
  Inferred own = candidate("a"), other = candidate("a");
  own.authors_line = 12;
  own.adapter.launches[0].block = {"cols"};
  finding_ = {{"a", "MISMATCH: y: 3 of 7 elements are wrong"}};
  ASSERT_FALSE(trying_.first_right({own}).value());
  const auto blamed = trying_.as_launched({own, other}, Found{1});
  ASSERT_TRUE(blamed);
  EXPECT_EQ(blamed->as_launched, 12);
  other.adapter.launches[0].args[1] = "7";
  EXPECT_FALSE(trying_.as_launched({own, other}, Found{1})) << "with other arguments";
  own.authors_line = 0;
  EXPECT_FALSE(trying_.as_launched({own, candidate("a")}, Found{1})) << "nobody launches it so";
}

// A block of the last row's threads is a part of one, unless cases have whole blocks only.
TEST_F(Tries, BlamesTheAuthorsLaunchForPartsOfBlocksThatWaitInVain) {
  Inferred own = candidate("a"), whole = own;
  own.authors_line = whole.authors_line = 40;
  whole.adapter.requirements = {"n % 32 == 0"};
  const std::vector<Inferred> all = {own, whole};
  finding_ = {{"a", "BARRIER: kernel k: waits in __shfl_*_sync (k.cu:30)"}};
  Trying trying(common_, try_, load_);
  ASSERT_TRUE(trying.first_right({own}));
  const auto found = trying.as_launched(all, Found{1});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->candidate, 0u);
  EXPECT_EQ(found->as_launched, 40);
  Inferred guessed = own;
  guessed.authors_line = 0;
  Trying none(common_, try_, load_);
  ASSERT_TRUE(none.first_right({guessed}));
  EXPECT_FALSE(none.as_launched({guessed, whole}, Found{1})) << "another launch may have whole blocks";
  Inferred row = own;
  row.authors_line = 0;
  row.adapter.fixed = {{"n", "256"}};
  EXPECT_FALSE(trying.as_launched({own, whole, row}, Found{2})) << "whole blocks are tried, and not right";
  finding_ = {{"a", ""}};
  EXPECT_TRUE(trying.as_launched({own, whole, row}, Found{2}));
}

TEST_F(Tries, PutsNoCallThatNobodyMakesInThePlaceOfTheAuthorsThatIsNearlyRight) {
  Inferred own = candidate("a");
  own.authors_line = 40;
  own.adapter.launches[0].args[2] = "nullptr";
  finding_ = {{"a", "UNWRITTEN: 1 of 480 elements of output y"}};
  share_ = {{"a", 0.99}};
  const std::vector<Inferred> all = {own, candidate("b")};
  Trying trying(common_, try_, load_);
  ASSERT_TRUE(trying.first_right({own}));
  EXPECT_FALSE(trying.as_launched(all, Found{1})) << "it lacks an input";
  std::vector<Inferred> with_inputs = all;
  with_inputs[0].adapter.launches[0].args[2] = "g";
  ASSERT_TRUE(trying.as_launched(with_inputs, Found{1}));
  with_inputs[1].authors_line = 50;
  EXPECT_FALSE(trying.as_launched(with_inputs, Found{1})) << "the file makes both";
  with_inputs[1].authors_line = 0;
  Found in_range{1, {{.name = "ids", .values = {"distinct", "repeated"}}}, {"ids = out_of_range (OUT_OF_BOUNDS)"}};
  EXPECT_FALSE(trying.as_launched(with_inputs, in_range)->fault.empty());
  finding_of_plain_ = {{"a", ""}};
  EXPECT_TRUE(trying.as_launched(with_inputs, in_range)->fault.empty())
      << "ids out of range are all that it is wrong for";
}

// The file's own call, of which only the order of tensors is guessed.
TEST_F(Tries, BlamesTheKernelWhereNoOrderOfTheTensorsOfTheFilesOwnCallIsRight) {
  const auto own = [](const std::string& argument, const std::string& other) {
    Inferred one = candidate(argument);
    one.authors_line = 40;
    one.adapter.launches[0].args = {argument, other, "g", "S", "dim", "vocab"};
    one.guesses = {"out is " + argument};
    one.order_guesses = 1;
    return one;
  };
  Inferred other = candidate("other");
  other.guesses = {"scale is 1"};
  std::vector<Inferred> all = {own("dw", "ids"), other, own("ids", "dw")};
  all[2].cost = 9;  // than any batch has
  const auto found = Trying(common_, try_, load_).first_right(all);
  ASSERT_TRUE(found && found->has_value());
  EXPECT_TRUE((*found)->is_own_call);
  EXPECT_EQ((*found)->candidate, 0u);
  finding_["ids"] = "";
  const auto right = Trying(common_, try_, load_).first_right(all);
  ASSERT_TRUE(right && right->has_value());
  EXPECT_EQ((*right)->candidate, 2u);
  finding_.erase("ids");
  const auto is_blamed = [&](const std::vector<Inferred>& candidates) {
    const auto one = Trying(common_, try_, load_).first_right(candidates);
    return one && one->has_value();
  };
  for (const auto& change : std::vector<std::function<void(Inferred&)>>{
           [](Inferred& one) { one.authors_line = 0; }, [](Inferred& one) { one.guesses.push_back("scale is 1"); },
           [](Inferred& one) { one.launch_guesses = {"the grid is S"}; },
           [](Inferred& one) { one.adapter.launches[0].args[2] = "nullptr"; },
           [](Inferred& one) { one.adapter.launches[0].args[3] = "1"; },
           [](Inferred& one) {
             one.adapter.launches[0].args[3] = "1";
             one.adapter.requirements = {"S % 64 == 0"};
           }}) {
    std::vector<Inferred> open = {all[0], all[1]};
    change(open[0]);
    EXPECT_FALSE(is_blamed(open));
  }
  Inferred guarded = all[0];
  guarded.authors_line = 0;
  guarded.adapter.launches[0].grid = {"ceil_div(S * dim, block)"};
  EXPECT_TRUE(is_blamed({guarded, all[1]})) << "it has a thread for each element, whoever launches it";
  guarded.guesses = {"last is S"};
  EXPECT_FALSE(is_blamed({guarded, all[1]})) << "it may be S - 1";
  guarded.guesses = all[0].guesses;
  guarded.adapter.launches[0].args[4] = "128";
  guarded.adapter.launches[0].grid = {"ceil_div(dim, block)"};
  EXPECT_FALSE(is_blamed({guarded, all[1]})) << "a size is built in";
  cases_ = {{"ids", 0}};
  EXPECT_FALSE(is_blamed(all)) << "too few cases suit one of them";
}

// One row hides what blocks do to each other.
TEST_F(Tries, HoldsNoSizeThatTheFilesGridSharesOut) {
  Inferred rows = candidate("a"), row = rows;
  rows.filled_line = row.filled_line = 88;
  rows.adapter.launches[0].grid = row.adapter.launches[0].grid = {"T"};
  row.adapter.fixed = {{"T", "1"}};
  finding_ = {{"a", "RACE: kernel k block (1,0,0): dw[0]: read by thread (0,0,0) of block (1,0,0)"}};
  Trying trying(common_, try_, load_);
  ASSERT_TRUE(trying.first_right({rows}));
  EXPECT_FALSE(trying.as_launched({rows, row}, Found{1})) << "no case is right in the grid that is guessed";
  EXPECT_EQ(trying.hidden_by({rows, row}, Found{1}), 0u);
  passed_ = {{"a", 1}};
  Trying again(common_, try_, load_);
  ASSERT_TRUE(again.first_right({rows}));
  const auto found = again.as_launched({rows, row}, Found{1});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->as_launched, 88);
  row.adapter.launches[0].args[1] = "dout";
  EXPECT_FALSE(again.hidden_by({rows, row}, Found{1})) << "another call";
}

}  // namespace
}  // namespace assay
