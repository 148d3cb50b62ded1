// The generator's numbers are part of the project's promise: a saved case line must give the same data for ever.
#include "harness/base/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>
#include <string>

namespace assay {
namespace {

TEST(Rng, IsSplitMix64) {
  Rng rng(1234567);  // the test vector that implementations of SplitMix64 share
  for (const uint64_t want :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u, 16408922859458223821u})
    EXPECT_EQ(rng.next(), want);
}

// Computed by a second implementation, in Python.
TEST(Rng, StreamsKeepTheirValues) {
  EXPECT_EQ(Rng::stream(0, "").next(), 10927959062758258107u);
  EXPECT_EQ(Rng::stream(7, "x").next(), 5057069647708261508u);
  EXPECT_EQ(Rng::stream(std::numeric_limits<uint64_t>::max(), "logits").next(), 10162283568617577000u);
}

TEST(Rng, StreamsOfNeighbouringSeedsAndNamesDiffer) {
  std::set<uint64_t> first;
  int streams = 0;
  for (uint64_t seed = 0; seed < 100; ++seed)
    for (const char* name : {"", "x", "y", "xy", "yx", "dx", "q", "k", "v"}) {
      first.insert(Rng::stream(seed, name).next());
      ++streams;
    }
  EXPECT_EQ(first.size(), static_cast<size_t>(streams));
}

// Two streams agree in a bit half of the time: 64 · 4000 bits, so six standard deviations are 0.006.
TEST(Rng, StreamsAreUncorrelated) {
  const std::array pairs{std::pair{Rng::stream(1, "x"), Rng::stream(1, "y")},
                         std::pair{Rng::stream(1, "x"), Rng::stream(2, "x")},
                         std::pair{Rng::stream(0, "dq"), Rng::stream(0, "dk")}};
  for (auto [a, b] : pairs) {
    int agree = 0;
    for (int i = 0; i < 4000; ++i) agree += __builtin_popcountll(~(a.next() ^ b.next()));
    EXPECT_NEAR(agree / 256000.0, 0.5, 0.006);
  }
}

TEST(Rng, BelowStaysBelowAndReachesEveryValue) {
  Rng rng(3);
  for (const uint64_t bound : {1u, 2u, 3u, 7u, 10u}) {
    std::set<uint64_t> seen;
    for (int i = 0; i < 500; ++i) seen.insert(rng.below(bound));
    EXPECT_EQ(seen.size(), bound);
    EXPECT_EQ(*seen.rbegin(), bound - 1);
  }
  EXPECT_LT(rng.below(std::numeric_limits<uint64_t>::max()), std::numeric_limits<uint64_t>::max());
}

TEST(Rng, BetweenIncludesBothEnds) {
  Rng rng(3);
  std::set<int64_t> seen;
  for (int i = 0; i < 500; ++i) seen.insert(rng.between(-4, 4));
  EXPECT_EQ(seen.size(), 9u);
  EXPECT_EQ(*seen.begin(), -4);
  EXPECT_EQ(*seen.rbegin(), 4);
  EXPECT_EQ(rng.between(5, 5), 5);
}

}  // namespace
}  // namespace assay
