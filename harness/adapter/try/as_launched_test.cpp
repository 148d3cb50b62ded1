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

// The file launches two instances: the one that is right is not judged in the place of the other.
TEST_F(Tries, LeavesNoInstanceForAnotherThatIsRight) {
  Inferred small = candidate("a"), large = candidate("a");
  small.authors_line = large.authors_line = 12;
  small.adapter.launches[0].entry = "k<4>", large.adapter.launches[0].entry = "k<8>";
  Trying trying(common_, try_, load_);
  ASSERT_TRUE(trying.first_right({small}));
  EXPECT_EQ(trying.hidden_by({small, large}, Found{1}), 0u);
  large.authors_line = 0;
  EXPECT_FALSE(trying.hidden_by({small, large}, Found{1})) << "nobody makes that launch";
  large.authors_line = 12, large.adapter.dtypes = {DType::f16};
  EXPECT_FALSE(trying.hidden_by({small, large}, Found{1})) << "of another type";
}

}  // namespace
}  // namespace assay
