// What measuring does with kernels that do less than they should, times that cannot be, and a GPU that fails.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "harness/bench/measure.h"
#include "harness/bench/test_measure.h"

namespace assay {
namespace {

using testing::Each;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsNan;
using testing::Not;
using testing::StartsWith;

using MeasureFailures = MeasureTest;

TEST_F(MeasureFailures, AKernelThatStopsWritingIsUnwritten) {
  int runs = 0;
  const auto first_only = [&](Call& call) {
    if (runs++ == 0) compute(call);
  };
  const auto rows = measure({variant("lazy", 30, first_only), variant("ours", 40)});
  EXPECT_EQ(rows[0].verdict, Kind::unwritten);
  EXPECT_THAT(rows[0].detail, StartsWith("a run in the middle of those timed: 65536 of 65536 elements of output y"));
  EXPECT_FALSE(rows[0].timing);
  EXPECT_EQ(rows[1].verdict, Kind::pass) << rows[1].detail;
  EXPECT_TRUE(rows[1].timing);
}

// Right in every run but the last one.
TEST_F(MeasureFailures, TheLastRunIsJudgedToo) {
  int runs = 0;
  const auto count = [&](Call& call) {
    compute(call);
    ++runs;
  };
  measure({variant("ours", 30, count)});
  const int all = runs;
  runs = 0;
  const auto breaks = [&](Call& call) {
    compute(call);
    if (++runs == all) call.out<float>("y")[77] += 1;
  };
  const auto rows = measure({variant("ours", 30, breaks)});
  EXPECT_EQ(rows[0].verdict, Kind::mismatch);
  EXPECT_THAT(rows[0].detail, StartsWith("the last run: y: 1 of 65536 elements are wrong, the first at [0,77]"));
  EXPECT_FALSE(rows[0].timing);
}

TEST_F(MeasureFailures, ResultsKeptInTheWorkspaceAreLost) {
  int computed = 0, runs = 0;
  Variant hoarder = variant("hoarder", 30, [&](Call& call) {
    ++runs;
    if (*call.workspace<unsigned>() == 1) return;
    compute(call);
    ++computed;
    *call.workspace<unsigned>() = 1;
  });
  hoarder.workspace_bytes = [](const Case&) { return 4; };
  const auto rows = measure({hoarder});
  EXPECT_EQ(rows[0].verdict, Kind::pass) << rows[0].detail;
  EXPECT_EQ(computed, runs) << "every run does the work";
}

TEST_F(MeasureFailures, EveryRunFindsTheInPlaceTensorAsMade) {
  std::vector<float> seen;
  const auto look = [&](Call& call) {
    seen.push_back(call.out<float>("z")[0]);
    compute(call);
  };
  const auto rows = measure({variant("ours", 7, look)});
  EXPECT_EQ(rows[0].verdict, Kind::pass) << rows[0].detail;
  EXPECT_THAT(seen, Each(seen[0]));
}

TEST_F(MeasureFailures, AnImpossibleTimeIsSuspect) {
  const auto rows = measure({variant("ours", 0.25), of_vendor(variant("theirs", 25)), variant("honest", 30)});
  EXPECT_EQ(rows[0].verdict, Kind::timing_suspect);
  EXPECT_THAT(rows[0].detail, HasSubstr("is less than the"));
  ASSERT_TRUE(rows[0].timing) << "the time is given";
  EXPECT_DOUBLE_EQ(rows[0].figures["median_us"], 0.25);
  EXPECT_EQ(rows[0].timing->vendor, "") << "and compared with nothing";
  EXPECT_EQ(rows[2].verdict, Kind::pass) << rows[2].detail;
}

TEST_F(MeasureFailures, ASuspectVendorIsNoMark) {
  const auto rows = measure({variant("ours", 30), of_vendor(variant("theirs", 0.25))});
  EXPECT_EQ(rows[1].verdict, Kind::timing_suspect);
  EXPECT_EQ(rows[0].timing->vendor, "");
}

TEST_F(MeasureFailures, AThrottledGpuGivesNoFigures) {
  gpu.sm_mhz = 700;
  const auto rows = measure({variant("ours", 30)}, {.budget_s = 0.01});
  EXPECT_EQ(rows[0].verdict, Kind::skipped);
  EXPECT_THAT(rows[0].detail, HasSubstr("below 75 % of the default clock"));
  ASSERT_TRUE(rows[0].timing);
  EXPECT_EQ(rows[0].timing->end, "throttled");
  EXPECT_THAT(rows[0].figures["median_us"], IsNan());
  EXPECT_THAT(rows[0].timing->samples, Not(IsEmpty())) << "raw samples are kept";
}

TEST_F(MeasureFailures, AnErrorInTheMiddleCostsOnlyThatCandidate) {
  int runs = 0;
  const auto fails = [&](Call& call) {
    compute(call);
    if (++runs == 12) gpu.error = GpuError{.code = 9, .text = "invalid configuration", .sticky = false};
  };
  const auto rows = measure({variant("ours", 30), variant("bad", 30, fails), of_vendor(variant("theirs", 60))});
  EXPECT_EQ(rows[1].verdict, Kind::crash);
  EXPECT_EQ(rows[1].detail, "while it was timed: the GPU failed: invalid configuration");
  EXPECT_FALSE(rows[1].timing);
  EXPECT_EQ(rows[0].verdict, Kind::pass) << rows[0].detail;
  EXPECT_NEAR(rows[0].figures["speedup"], 2, 1e-9);
  EXPECT_EQ(rows[0].timing->samples.size(), 20U) << "measured anew, without it";
}

TEST_F(MeasureFailures, AStickyErrorEndsTheCase) {
  for (const int when : {1, 2, 3, 8, 12}) {  // preparing, timing for the first time, warm-up, sampling
    gpu.error.reset();
    int runs = 0;
    const auto fails = [&](Call&) {
      if (++runs == when) gpu.error = GpuError{.code = 700, .text = "an illegal memory access", .sticky = true};
    };
    const auto rows = measure({variant("ours", 30), variant("bad", 30, fails), variant("other", 30)});
    EXPECT_EQ(rows[1].verdict, Kind::crash) << when;
    for (const size_t i : {0U, 2U}) {
      EXPECT_EQ(rows[i].verdict, Kind::skipped) << when;
      EXPECT_EQ(rows[i].detail, "the GPU failed while made_up/bad was timed; measure again without it");
      EXPECT_FALSE(rows[i].timing);
    }
  }
}

TEST_F(MeasureFailures, ARefusedLaunchIsACrash) {
  for (const int when : {1, 12}) {  // preparing, sampling
    int runs = 0;
    const auto refused = [&](Call& call) {
      compute(call);
      if (++runs == when) note_refused_launch("launch of grid (0,1,1) refused");
    };
    const auto rows = measure({variant("ours", 30), variant("bad", 30, refused)});
    EXPECT_EQ(rows[1].verdict, Kind::crash) << when;
    EXPECT_EQ(rows[1].detail, "while it was timed: launch of grid (0,1,1) refused");
    EXPECT_EQ(rows[0].verdict, Kind::pass) << rows[0].detail;
  }
}

TEST_F(MeasureFailures, AnErrorBesideARefusedLaunchIsBlamedOnNobodyElse) {
  const auto both = [&](Call&) {
    note_refused_launch("launch of grid (0,1,1) refused");
    gpu.error = GpuError{.code = 9, .text = "invalid configuration", .sticky = false};
  };
  const auto rows = measure({variant("bad", 30, both), variant("ours", 30)});
  EXPECT_EQ(rows[0].verdict, Kind::crash);
  EXPECT_EQ(rows[1].verdict, Kind::pass) << rows[1].detail;
}

TEST_F(MeasureFailures, WhatDoesNotFitIsSkipped) {
  gpu.memory_bytes = 1 << 20;
  const auto rows = measure({variant("ours", 30), variant("theirs", 60)});
  for (const ResultRow& row : rows) {
    EXPECT_EQ(row.verdict, Kind::skipped);
    EXPECT_EQ(row.detail, "the tensors are not on the GPU, 0.00131 GB with what 2 candidates write: out of memory");
  }
}

TEST_F(MeasureFailures, MoreSetsThatDoNotFitAreSkippedToo) {
  gpu.memory_bytes = 3 << 19;
  const auto rows = measure({variant("quick", 7)});
  EXPECT_EQ(rows[0].verdict, Kind::skipped);
  EXPECT_THAT(rows[0].detail, EndsWith("out of memory"));
}

}  // namespace
}  // namespace assay
