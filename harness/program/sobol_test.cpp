// The first numbers of Sobol's sequence, and that every dimension is one.
#include "harness/program/sobol.h"

#include <gtest/gtest.h>

#include <set>

namespace assay::program {
namespace {

TEST(Sobol, BeginsAsItIsKnown) {
  constexpr auto kFirst = sobol_vectors<uint32_t>(0), kSecond = sobol_vectors<uint32_t>(1);
  const double first[] = {0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125};
  const double second[] = {0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625};
  for (uint64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(sobol_number(kFirst, i) * 0x1p-32, first[i]);
    EXPECT_EQ(sobol_number(kSecond, i) * 0x1p-32, second[i]);
  }
}

// 2^k numbers from the first on lie in as many intervals of that width.
TEST(Sobol, EveryDimensionFillsTheUnitIntervalEvenly) {
  for (unsigned dimension = 0; dimension < kSobolDimensions; ++dimension) {
    const auto vectors = sobol_vectors<uint64_t>(dimension);
    std::set<uint64_t> intervals;
    for (uint64_t i = 0; i < 1024; ++i) intervals.insert(sobol_number(vectors, i) >> 54);
    EXPECT_EQ(intervals.size(), 1024) << dimension;
  }
}

}  // namespace
}  // namespace assay::program
