// Which part of a plan a machine runs.
#include "harness/search/shard.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <map>
#include <string>

namespace assay {
namespace {

using testing::HasSubstr;

class ShardOption : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_ID",
                             "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX"})
      unsetenv(name);
  }
  static void set(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  }
  static std::string read(const std::string& option) {
    const auto shard = shard_of(option);
    return shard ? print(*shard) : shard.error().line();
  }
};

TEST_F(ShardOption, EveryPlaceIsInOneShard) {
  for (const int64_t count : {1, 2, 3, 7}) {
    std::map<int64_t, int64_t> sizes;
    for (int64_t place = 0; place < 20; ++place) {
      int in = 0;
      for (int64_t number = 1; number <= count; ++number)
        if (Shard{number, count}.has(place)) ++in, ++sizes[number];
      EXPECT_EQ(in, 1) << place;
    }
    for (int64_t number = 1; number <= count; ++number)
      EXPECT_EQ(sizes[number], (Shard{number, count}.size_of(20))) << number << " of " << count;
  }
}

TEST_F(ShardOption, IsReadFromTheOptionOrTheEnvironment) {
  EXPECT_EQ(read(""), "1/1");
  EXPECT_EQ(read("2/4"), "2/4");
  set({{"SLURM_ARRAY_TASK_COUNT", "4"},
       {"SLURM_ARRAY_TASK_ID", "14"},
       {"SLURM_ARRAY_TASK_MIN", "10"},
       {"SLURM_ARRAY_TASK_MAX", "16"}});
  EXPECT_EQ(read("auto"), "3/4") << "an array of 10, 12, 14, 16";
  EXPECT_EQ(read(""), "1/1") << "an array may have another purpose";
  EXPECT_THAT(unshared_array().value_or(""), HasSubstr("--shard auto"));
  set({{"GTEST_TOTAL_SHARDS", "3"}, {"GTEST_SHARD_INDEX", "2"}});
  EXPECT_EQ(read(""), "3/3");
  EXPECT_EQ(read("auto"), "3/3");
  EXPECT_EQ(read("1/2"), "1/2") << "what is typed counts";
}

TEST_F(ShardOption, WhatIsNoPartIsRefused) {
  for (const char* option : {"0/4", "5/4", "-1/4", "1/0", "1/99999999999"})
    EXPECT_THAT(read(option), HasSubstr("there is no part")) << option;
  for (const char* option : {"2", "a/b", "1/", "/4", "1/4x", "1 /4"})
    EXPECT_THAT(read(option), HasSubstr("is no part of something")) << option;
  EXPECT_THAT(read("auto"), HasSubstr("the environment names no part"));
  set({{"GTEST_TOTAL_SHARDS", "3"}, {"GTEST_SHARD_INDEX", "3"}});
  EXPECT_THAT(read(""), HasSubstr("there is no part 4 of 3"));
  set({{"GTEST_SHARD_INDEX", "x"}});
  EXPECT_THAT(read(""), HasSubstr("GTEST_SHARD_INDEX is 'x'"));
  clear();
  set({{"SLURM_ARRAY_TASK_COUNT", "3"},
       {"SLURM_ARRAY_TASK_ID", "2"},
       {"SLURM_ARRAY_TASK_MIN", "1"},
       {"SLURM_ARRAY_TASK_MAX", "7"}});
  EXPECT_THAT(read("auto"), HasSubstr("not evenly spaced"));  // 1, 2, 7
}

}  // namespace
}  // namespace assay
