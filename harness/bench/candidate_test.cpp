// How many sets of tensors a timed region needs.
#include "harness/bench/candidate.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay::bench {
namespace {

constexpr double kL2 = 60e6;

TEST(SetsFor, FillARegion) {
  EXPECT_EQ(sets_for(100, 1e6, kL2, /*cold=*/true), 1);
  EXPECT_EQ(sets_for(99.9, 1e6, kL2, true), 2);
  EXPECT_EQ(sets_for(15, 1e6, kL2, true), 7);
}

TEST(SetsFor, AreLimited) {
  EXPECT_EQ(sets_for(0.01, 1e6, kL2, true), kSetsMax);
  EXPECT_EQ(sets_for(0, 1e6, kL2, true), kSetsMax);
  EXPECT_EQ(sets_for(std::numeric_limits<double>::quiet_NaN(), 1e6, kL2, true), kSetsMax);
}

TEST(SetsFor, StayWithinHalfOfAWarmCache) {
  EXPECT_EQ(sets_for(15, 1e6, kL2, /*cold=*/false), 7);
  EXPECT_EQ(sets_for(15, 10e6, kL2, false), 3);
  EXPECT_EQ(sets_for(15, 40e6, kL2, false), 1) << "one set there has to be";
  EXPECT_EQ(sets_for(15, 0, kL2, false), 7) << "no tensors fit anywhere";
}

}  // namespace
}  // namespace assay::bench
