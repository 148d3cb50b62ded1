// Tests that every step runs once, and that the error is the same whichever is first.
#include "harness/adapter/build/parallel.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>

namespace assay {
namespace {

TEST(InParallel, RunsEveryStepOnceAndTellsTheFirstError) {
  std::array<std::atomic<int>, 100> runs{};
  const auto failing_from = [&](size_t first) {
    return in_parallel(runs.size(), [&, first](size_t i) -> Result<void> {
      ++runs[i];
      if (i < first) return {};
      return fail(std::to_string(i));
    });
  };
  EXPECT_TRUE(failing_from(100));
  for (const auto& run : runs) EXPECT_EQ(run, 1);
  EXPECT_EQ(failing_from(37).error().what, "37");
  for (const auto& run : runs) EXPECT_EQ(run, 2);
  EXPECT_TRUE(in_parallel(0, [](size_t) -> Result<void> { return fail("no step"); }));
}

}  // namespace
}  // namespace assay
