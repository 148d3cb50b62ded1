// Launches that are left out, and those that are not, on memory that is a number.
#include "harness/program/repeated_launches.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay::program {
namespace {

// A launch that takes a second, by a clock of its own.
class Repeated : public ::testing::Test {
 protected:
  void launch(const std::string& key, int sets) {
    launches_.run(
        key, [&] { return static_cast<uint64_t>(memory_); },
        [&] {
          time_ += 1;
          memory_ = sets;
          ++runs_;
        });
  }
  int memory_ = 0, runs_ = 0;
  double time_ = 0;
  RepeatedLaunches launches_{[this] { return time_; }};
};

TEST_F(Repeated, OnceALaunchHasChangedNothingItIsLeftOut) {
  for (int i = 0; i < 10; ++i) launch("a", 1);
  EXPECT_EQ(runs_, 2) << "the first changes memory, the second shows that it does so no more";
  EXPECT_EQ(launches_.left_out(), 8u);
}

TEST_F(Repeated, OtherMemoryAndOtherArgumentsAreOtherLaunches) {
  for (int i = 0; i < 5; ++i) launch("a", 1);
  memory_ = 7;
  launch("a", 1);
  EXPECT_EQ(runs_, 3);
  EXPECT_EQ(memory_, 1);
  launch("b", 1);
  EXPECT_EQ(runs_, 4);
}

TEST_F(Repeated, LaunchesThatUndoEachOtherAlwaysRun) {
  for (int i = 0; i < 4; ++i) launch("a", 1), launch("b", 2);
  EXPECT_EQ(runs_, 8);
  EXPECT_EQ(memory_, 2);
}

TEST_F(Repeated, ShortLaunchesAreNotWorthAHash) {
  for (int i = 0; i < 5; ++i) {
    launches_.run(
        "short", [] { return ADD_FAILURE() << "hashed", uint64_t{0}; }, [&] { time_ += 0.001; });
    EXPECT_EQ(launches_.left_out(), 0u);
  }
}

TEST(HashOf, EveryByteAndTheLengthCount) {
  std::vector<char> bytes(75, 'x');
  const uint64_t before = hash_of(bytes.data(), bytes.size(), 1);
  for (char& byte : bytes) {
    byte = 'y';
    EXPECT_NE(hash_of(bytes.data(), bytes.size(), 1), before);
    byte = 'x';
  }
  EXPECT_NE(hash_of(bytes.data(), bytes.size() - 1, 1), before);
  EXPECT_NE(hash_of(bytes.data(), bytes.size(), 2), before);
  EXPECT_EQ(hash_of(bytes.data(), bytes.size(), 1), before);
}

}  // namespace
}  // namespace assay::program
