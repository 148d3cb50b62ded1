// Tests measuring with kernels that do less than they should, times that cannot be, and a GPU that fails.
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

class MeasureFailures : public MeasureTest {
 protected:
  // A case for kernels that take next to no time, of which a region holds many: 64 KiB to move, 33 ns at 1 TB/s for the
  // inputs.
  const Case small = *read_case("made_up/any f32 rows=8 cols=512 fill=normal seed=7");
};

TEST_F(MeasureFailures, AKernelThatStopsWritingIsUnwritten) {
  int runs = 0;
  const auto first_only = [&](Call& call) {
    if (runs++ == 0) compute(call);
  };
  const auto rows = measure({variant("lazy", 130, first_only), variant("ours", 140)});
  EXPECT_EQ(rows[0].verdict, Kind::unwritten);
  EXPECT_THAT(rows[0].detail, StartsWith("a run in the middle of those timed: 65536 of 65536 elements of output y"));
  EXPECT_FALSE(rows[0].timing);
  EXPECT_EQ(rows[1].verdict, Kind::pass) << rows[1].detail;
  EXPECT_TRUE(rows[1].timing);
}

// The kernel is right in every run except the last one.
TEST_F(MeasureFailures, TheLastRunIsJudgedToo) {
  int runs = 0;
  const auto count = [&](Call& call) {
    compute(call);
    ++runs;
  };
  measure({variant("ours", 130, count)});
  const int all = runs;
  runs = 0;
  const auto breaks = [&](Call& call) {
    compute(call);
    if (++runs == all) call.out<float>("y")[77] += 1;
  };
  const auto rows = measure({variant("ours", 130, breaks)});
  EXPECT_EQ(rows[0].verdict, Kind::mismatch);
  EXPECT_THAT(rows[0].detail, StartsWith("the last run: y: 1 of 65536 elements are wrong, the first at [0,77]"));
  EXPECT_FALSE(rows[0].timing);
}

TEST_F(MeasureFailures, ResultsKeptInTheWorkspaceAreLost) {
  int computed = 0, runs = 0;
  Variant hoarder = variant("hoarder", 130, [&](Call& call) {
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

// It is poisoned where it is, before every run.
TEST_F(MeasureFailures, AWorkspaceNeverTravels) {
  std::vector<unsigned> found;
  Variant wide = variant("wide", 130, [&](Call& call) {
    found.push_back(call.workspace<unsigned>()[1000]);
    call.workspace<unsigned>()[1000] = 1;
    compute(call);
  });
  wide.workspace_bytes = [](const Case&) { return 1 << 20; };
  const auto rows = measure({wide});
  EXPECT_EQ(rows[0].verdict, Kind::pass) << rows[0].detail;
  EXPECT_THAT(found, Each(0xffffffffU));
  EXPECT_LT(runtime.uploaded_bytes(), 1U << 20) << "the tensors are less than that";
}

TEST_F(MeasureFailures, EveryRunFindsTheInPlaceTensorAsMade) {
  std::vector<float> seen;
  const auto look = [&](Call& call) {
    seen.push_back(call.out<float>("z")[0]);
    compute(call);
  };
  const auto rows = measure({variant("ours", 60, look)});
  EXPECT_EQ(rows[0].verdict, Kind::pass) << rows[0].detail;
  EXPECT_THAT(seen, Each(seen[0]));
}

TEST_F(MeasureFailures, AnImpossibleTimeIsSuspect) {
  c = small;
  const auto rows =
      measure({variant("ours", 0.01), of_vendor(variant("theirs", 25)), variant("honest", 130)}, {.max_samples = 4});
  EXPECT_EQ(rows[0].verdict, Kind::timing_suspect);
  EXPECT_THAT(rows[0].detail, HasSubstr("is less than the"));
  ASSERT_TRUE(rows[0].timing) << "the time is given";
  EXPECT_NEAR(rows[0].figures["median_us"], 0.01, 1e-9);
  EXPECT_EQ(rows[0].timing->vendor, "") << "and compared with nothing";
  EXPECT_EQ(rows[2].verdict, Kind::pass) << rows[2].detail;
}

TEST_F(MeasureFailures, ASuspectVendorIsNoMark) {
  c = small;
  const auto rows = measure({variant("ours", 130), of_vendor(variant("theirs", 0.01))}, {.max_samples = 4});
  EXPECT_EQ(rows[1].verdict, Kind::timing_suspect);
  EXPECT_EQ(rows[0].timing->vendor, "");
}

TEST_F(MeasureFailures, AThrottledGpuGivesNoFigures) {
  gpu.sm_mhz = 700;
  const auto rows = measure({variant("ours", 130)}, {.budget_s = 0.01});
  EXPECT_EQ(rows[0].verdict, Kind::skipped);
  EXPECT_THAT(rows[0].detail, HasSubstr("below 75 % of the default clock"));
  ASSERT_TRUE(rows[0].timing);
  EXPECT_EQ(rows[0].timing->end, "throttled");
  EXPECT_THAT(rows[0].figures["median_us"], IsNan());
  EXPECT_THAT(rows[0].timing->samples, Not(IsEmpty())) << "raw samples are kept";
}

TEST_F(MeasureFailures, AVariantOfWhichOneRunIsTooLongCostsTheOthersNothing) {
  const auto rows = measure({variant("slow", 3e6), variant("ours", 60)}, {.budget_s = 2});
  EXPECT_EQ(rows[0].verdict, Kind::skipped);
  EXPECT_EQ(rows[0].detail, "one run takes 3 s, and all runs of a process have 2 s; --case-budget gives them more");
  EXPECT_EQ(rows[1].verdict, Kind::pass) << rows[1].detail;
}

TEST_F(MeasureFailures, AnErrorInTheMiddleCostsOnlyThatCandidate) {
  int runs = 0;
  const auto fails = [&](Call& call) {
    compute(call);
    if (++runs == 12) gpu.error = GpuError{.code = 9, .text = "invalid configuration", .sticky = false};
  };
  const auto rows = measure({variant("ours", 130), variant("bad", 130, fails), of_vendor(variant("theirs", 260))});
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
    const auto rows = measure({variant("ours", 130), variant("bad", 130, fails), variant("other", 130)});
    EXPECT_EQ(rows[1].verdict, Kind::crash) << when;
    for (const size_t i : {0U, 2U}) {
      EXPECT_EQ(rows[i].verdict, Kind::skipped) << when;
      EXPECT_EQ(rows[i].detail, "the GPU failed while made_up/bad was timed; measure again without it");
      EXPECT_FALSE(rows[i].timing);
    }
  }
}

TEST_F(MeasureFailures, OthersThanTheOneThatFailedAreToBeMeasuredAgain) {
  int runs = 0;
  const auto fails = [&](Call&) {
    if (++runs == 3) gpu.error = GpuError{.code = 700, .text = "an illegal memory access", .sticky = true};
  };
  const auto rows = measure_all({variant("ours", 130), variant("bad", 130, fails), variant("other", 130)}, {});
  EXPECT_TRUE(rows[0].again);
  EXPECT_FALSE(rows[1].again);
  EXPECT_TRUE(rows[2].again);
}

TEST_F(MeasureFailures, AVariantThatDoesNotTakeTheCaseIsUnsupported) {
  Variant picky = variant("picky", 130);
  picky.unsupported = [](const Case&) { return std::optional<std::string>("cols is no multiple of 1000"); };
  const auto rows = measure({picky, variant("ours", 130)});
  EXPECT_EQ(rows[0].verdict, Kind::unsupported);
  EXPECT_EQ(rows[0].detail, "cols is no multiple of 1000");
  EXPECT_EQ(rows[1].verdict, Kind::pass) << rows[1].detail;
}

TEST_F(MeasureFailures, AWorkspaceOutOfProportionIsLeftOut) {
  Variant hoarder = variant("hoarder", 130);
  hoarder.workspace_bytes = [](const Case&) { return int64_t{17} << 30; };
  const auto rows = measure({hoarder, variant("ours", 130)});
  EXPECT_EQ(rows[0].verdict, Kind::skipped);
  EXPECT_EQ(rows[0].detail, "its workspace of 18.3 GB is out of proportion to 0.000786 GB of tensors");
  EXPECT_EQ(rows[1].verdict, Kind::pass) << rows[1].detail;
}

TEST_F(MeasureFailures, ARefusedLaunchIsACrash) {
  for (const int when : {1, 12}) {  // preparing, sampling
    int runs = 0;
    const auto refused = [&](Call& call) {
      compute(call);
      if (++runs == when) note_refused_launch("launch of grid (0,1,1) refused");
    };
    const auto rows = measure({variant("ours", 130), variant("bad", 130, refused)});
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
  const auto rows = measure({variant("bad", 130, both), variant("ours", 130)});
  EXPECT_EQ(rows[0].verdict, Kind::crash);
  EXPECT_EQ(rows[1].verdict, Kind::pass) << rows[1].detail;
}

TEST_F(MeasureFailures, WhatDoesNotFitIsSkipped) {
  gpu.memory_bytes = 1 << 20;
  const auto rows = measure({variant("ours", 130), variant("theirs", 260)});
  for (const ResultRow& row : rows) {
    EXPECT_EQ(row.verdict, Kind::skipped);
    EXPECT_EQ(row.detail, "its outputs and workspace are not on the GPU, 0.000524 GB: out of memory");
  }
  gpu.memory_bytes = 1 << 19;
  EXPECT_EQ(measure({variant("ours", 130)})[0].detail, "the tensors are not on the GPU, 0.000786 GB: out of memory");
}

TEST_F(MeasureFailures, ACandidateThatDoesNotFitCostsTheOthersNothing) {
  gpu.memory_bytes = 1 << 22;
  Variant wide = variant("wide", 130);
  wide.workspace_bytes = [](const Case&) { return int64_t{1} << 22; };
  const auto rows = measure({wide, variant("ours", 130)});
  EXPECT_EQ(rows[0].verdict, Kind::skipped);
  EXPECT_EQ(rows[1].verdict, Kind::pass) << rows[1].detail;
}

// A library's refusal to do the work, in its own words.
TEST_F(MeasureFailures, NoPlanAndNoScratchAreNoCrash) {
  for (const auto& [refusal, verdict] :
       {std::pair{Refusal::no_plan, Kind::unsupported}, {Refusal::no_memory, Kind::skipped}}) {
    const auto refuses = [refusal = refusal](Call&) { note_refusal(refusal, "CUDNN_STATUS_NOT_SUPPORTED"); };
    const auto rows = measure({variant("bad", 130, refuses), variant("ours", 130)});
    EXPECT_EQ(rows[0].verdict, verdict);
    EXPECT_EQ(rows[0].detail, "while it was timed: CUDNN_STATUS_NOT_SUPPORTED");
    EXPECT_EQ(rows[1].verdict, Kind::pass) << rows[1].detail;
  }
}

TEST_F(MeasureFailures, ALostContextIsNoMissingPlan) {
  const auto both = [&](Call&) {
    note_refusal(Refusal::no_plan, "no engine");
    gpu.error = GpuError{.code = 700, .text = "an illegal memory access", .sticky = true};
  };
  EXPECT_EQ(measure({variant("bad", 130, both)})[0].verdict, Kind::crash);
}

TEST_F(MeasureFailures, MoreSetsThatDoNotFitAreSkippedToo) {
  gpu.memory_bytes = 3 << 19;
  const auto rows = measure({variant("quick", 35)});
  EXPECT_EQ(rows[0].verdict, Kind::skipped);
  EXPECT_THAT(rows[0].detail, EndsWith("out of memory"));
}

}  // namespace
}  // namespace assay
