// A candidate that is right keeps no guess that it can do without.
#include "harness/adapter/try/freer.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Inferred right() {
  Inferred one;
  one.adapter.op = "embedding_backward";
  one.adapter.launches = {
      {.entry = "k", .args = {"g", "ids", "dw", "S", "1", "dim"}, .grid = {"S", "1"}, .block = {"64"}}};
  one.guesses = {"B is S", "T is 1"};
  one.ones = {4};
  return one;
}

TEST(Freer, OneOfTwoCountsMayBeTwo) {
  const auto all = with_two_factors(right());
  ASSERT_THAT(all, SizeIs(3));
  const AdapterLaunch &flat = all[0].adapter.launches[0], &apart = all[1].adapter.launches[0];
  EXPECT_THAT(flat.args, ElementsAre("g", "ids", "dw", "(S % 2 == 0 ? S / 2 : S)", "(S % 2 == 0 ? 2 : 1)", "dim"));
  EXPECT_THAT(flat.grid, ElementsAre("S", "1"));
  EXPECT_THAT(apart.grid, ElementsAre(flat.args[3], flat.args[4]));
  EXPECT_THAT(all[2].adapter.launches[0].grid, ElementsAre(flat.args[3], flat.args[4], flat.args[4]))
      << "an axis of one block that the grid does not name";
  Inferred stated = right();
  stated.ones.clear();
  EXPECT_THAT(with_two_factors(stated), IsEmpty()) << "a factor of what is added up, perhaps";
  EXPECT_THAT(all[0].adapter.requirements, ElementsAre("S % 2 == 0")) << "it is to be tried";
  Inferred elements = right();
  elements.adapter.op = "gelu_forward";
  elements.adapter.launches[0].args = {"x", "y", "1", "N"};
  elements.ones = {2};
  ASSERT_THAT(with_two_factors(elements), SizeIs(3)) << "of all elements";
  Inferred columns = right();
  columns.adapter.launches[0].args[3] = "dim";
  EXPECT_THAT(with_two_factors(columns), IsEmpty()) << "a row is no two rows";
}

TEST(Freer, ASizeInThePlaceOfOneShowsMore) {
  const Inferred taken = right();
  Inferred swept = taken, other = taken, stricter = taken;
  swept.adapter.launches[0].args[4] = "B";
  other.adapter.launches[0].args = {"g", "ids", "dw", "B", "T", "dim"};
  stricter.adapter.launches[0].args[4] = "B";
  stricter.adapter.requirements = {"dim % 4 == 0"};
  const auto all = with_swept_ones(taken, {taken, other, stricter, swept});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].adapter.launches[0].args, swept.adapter.launches[0].args);
}

TEST(Freer, GuessedRequirementsGoOneByOne) {
  Inferred one = right();
  one.adapter.requirements = {"dim % 4 == 0", "S % 2 == 0", "dim % 8 == 0", "dim <= 1024"};
  one.stated_requirements = 1;
  std::vector<std::vector<std::string>> left;
  for (const Inferred& each : with_fewer_requirements(one)) left.push_back(each.adapter.requirements);
  EXPECT_THAT(left, ElementsAre(ElementsAre("dim % 4 == 0", "dim <= 1024"),
                                ElementsAre("dim % 4 == 0", "dim % 8 == 0", "dim <= 1024"),
                                ElementsAre("dim % 4 == 0", "S % 2 == 0", "dim <= 1024")));
}

TEST(Freer, RowsOfAGuessedLengthMayHaveAnyThatIsPassed) {
  Inferred one = right();
  one.adapter.fixed = {{"dim", "128"}, {"S", "1"}};
  EXPECT_THAT(with_open_dims(one, {}).at(0).adapter.fixed, SizeIs(1));
  Adapter given;
  given.fixed = {{"dim", "128"}};
  EXPECT_THAT(with_open_dims(one, given), IsEmpty()) << "the user's";
}

}  // namespace
}  // namespace assay
