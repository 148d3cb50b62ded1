// Change points of series whose changes are known.
#include "harness/history/change_points.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "harness/base/rng.h"
#include "harness/tensor/fill.h"

namespace assay::history {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

// `n` runs at each of the levels, with 1 % of noise.
std::vector<double> levels(const std::vector<double>& all, size_t n, uint64_t seed) {
  Rng rng = Rng::stream(seed, "levels");
  std::vector<double> values;
  for (const double level : all)
    for (size_t i = 0; i < n; ++i) values.push_back(level * (1 + 0.01 * normal(rng)));
  return values;
}

TEST(ChangePoints, AreWhereTheLevelChanges) {
  const auto points = change_points(levels({100, 110, 90}, 15, 1));
  ASSERT_THAT(points, ElementsAre(Field(&ChangePoint::index, 15), Field(&ChangePoint::index, 30)));
  EXPECT_NEAR(points[0].before, 100, 1);
  EXPECT_NEAR(points[0].after, 110, 1);
  EXPECT_NEAR(points[1].after, 90, 1);
  EXPECT_LE(points[0].p, 0.005);
}

TEST(ChangePoints, SeriesThatAreLevelSeldomHaveOne) {
  size_t found = 0;
  for (uint64_t seed = 0; seed < 200; ++seed)
    found += !change_points(levels({100}, 40, seed), {.effect_min = 0}).empty();
  EXPECT_LE(found, 4u) << "of 200, at a significance of 0.5 %";
}

TEST(ChangePoints, AFivePercentChangeIsFoundNearItsPlace) {
  int found = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto points = change_points(levels({100, 105}, 10, seed));
    found += points.size() == 1 && std::fabs(static_cast<double>(points[0].index) - 10) <= 1;
  }
  EXPECT_GE(found, 47);
}

TEST(ChangePoints, AnOutlierIsNone) {
  std::vector<double> values = levels({100}, 30, 3);
  values[17] = 300;
  EXPECT_THAT(change_points(values), IsEmpty());
}

TEST(ChangePoints, SmallChangesAreNotReported) {
  const std::vector<double> values = levels({100, 101.5}, 200, 1);
  EXPECT_THAT(change_points(values), IsEmpty());
  EXPECT_THAT(change_points(values, {.effect_min = 0.01}), SizeIs(1));
}

TEST(ChangePoints, ShortAndConstantSeriesHaveNone) {
  EXPECT_THAT(change_points({}), IsEmpty());
  EXPECT_THAT(change_points({1, 9}), IsEmpty());
  EXPECT_THAT(change_points(std::vector<double>(50, 7)), IsEmpty());
}

TEST(ExactChangePoints, AreEveryDifference) {
  EXPECT_THAT(exact_change_points({4, 4, 5, 5, 4}),
              ElementsAre(Field(&ChangePoint::index, 2), Field(&ChangePoint::index, 4)));
  EXPECT_THAT(exact_change_points({}), IsEmpty());
}

}  // namespace
}  // namespace assay::history
