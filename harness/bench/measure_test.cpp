// Figures of a case that is measured on a simulated GPU, and how its candidates are run.
#include "harness/bench/measure.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/test_measure.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsNan;
using testing::Not;

using Measure = MeasureTest;

TEST_F(Measure, FillsInEveryFigure) {
  gpu.sm_mhz = 900;
  const auto rows = measure({variant("ours", 10), of_vendor(variant("theirs", 25))});
  ASSERT_EQ(rows.size(), 2U);
  const ResultRow& ours = rows[0];
  EXPECT_EQ(ours.verdict, Kind::pass) << ours.detail;
  EXPECT_EQ(ours.line(), "made_up/ours f32 rows=128 cols=512 fill=normal seed=7 schedule=0");
  EXPECT_EQ(ours.device, "gpu");
  ASSERT_TRUE(ours.timing);
  const Timing& timing = *ours.timing;
  EXPECT_EQ(timing.gpu, "Fake GPU");
  EXPECT_DOUBLE_EQ(ours.figures["median_us"], 10);
  EXPECT_THAT(ours.figures["low_us"], IsNan()) << "one process gives no interval";
  EXPECT_THAT(ours.hints, ElementsAre("no interval: 1 of 3 processes that one needs have samples"));
  EXPECT_NEAR(ours.figures["median_cycles"], 9000, 1e-6);
  EXPECT_NEAR(ours.figures["gb_per_s"], 1.048576e6 / 10e-6 / 1e9, 1e-6);
  EXPECT_NEAR(ours.figures["tflop_per_s"], 2 * 128 * 512 / 10e-6 / 1e12, 1e-9);
  EXPECT_EQ(timing.roof, "copy 0.80 TB/s");
  EXPECT_NEAR(ours.figures["of_roof"], 1.048576 / 0.8 / 10, 1e-9);
  EXPECT_EQ(timing.vendor, "made_up/theirs");
  EXPECT_DOUBLE_EQ(ours.figures["speedup"], 2.5);
  EXPECT_THAT(ours.figures["speedup_low"], IsNan());
  EXPECT_TRUE(timing.verified);
  EXPECT_EQ(timing.end, "noise");
  EXPECT_EQ(timing.samples.size(), 20U);
  EXPECT_GT(ours.figures["seconds"], 0);
  EXPECT_EQ(rows[1].timing->vendor, "") << "the vendor's variant is compared with nothing";
  EXPECT_THAT(rows[1].figures["speedup"], IsNan());
  EXPECT_TRUE(timer.cold);
}

TEST_F(Measure, ComparesWithTheFastestOfTheVendors) {
  const auto rows = measure({of_vendor(variant("slow", 90)), variant("ours", 30), of_vendor(variant("fast", 60))});
  EXPECT_EQ(rows[1].timing->vendor, "made_up/fast");
  EXPECT_NEAR(rows[1].figures["speedup"], 2, 1e-9);
}

TEST_F(Measure, WithoutAVendorThereIsNoRatio) {
  const auto rows = measure({variant("ours", 30)});
  EXPECT_EQ(rows[0].timing->vendor, "");
  EXPECT_THAT(rows[0].figures["speedup"], IsNan());
}

TEST_F(Measure, ShortRunsShareARegion) {
  measure({variant("quick", 35), variant("slow", 350)});
  EXPECT_EQ(timer.regions.front(), 1U) << "the first runs only say how long they take";
  EXPECT_EQ(timer.regions.back(), 3U) << "three of 35 us make the 100 us of a region";
}

TEST_F(Measure, LongRunsHaveARegionOfTheirOwn) {
  measure({variant("slow", 170)});
  EXPECT_THAT(timer.regions, Each(1U));
}

TEST_F(Measure, WarmRegionsStayWithinTheCache) {
  const auto rows = measure({variant("quick", 7)}, {.cold = false});
  EXPECT_FALSE(timer.cold);
  EXPECT_THAT(timer.regions, Each(1U)) << "768 KiB of tensors are beyond half of the cache already";
  EXPECT_EQ(rows[0].verdict, Kind::pass) << rows[0].detail;
}

TEST_F(Measure, NamesRangesForTheProfiler) {
  measure({variant("ours", 130)}, {.min_samples = 1, .max_samples = 2});
  EXPECT_EQ(
      timer.ranges,
      "[made_up[made_up/any f32 rows=128 cols=512 fill=normal seed=7 schedule=0[warm-up[made_up/ours][made_up/ours]]"
      "[sampling[made_up/ours][made_up/ours]][last run][verification]]]");
}

TEST_F(Measure, SaysWhoRunsBeforeItRuns) {
  std::vector<std::string> seen;
  const auto look = [&](Call& call) {
    compute(call);
    seen.push_back(running.substr(running.rfind(' ') + 1));
  };
  measure({variant("ours", 130, look)});
  EXPECT_THAT(seen, AllOf(Each("ours"), Not(IsEmpty())));
}

// Two processes of a case see the same bits, and one that has been changed in one element does not.
TEST_F(Measure, SumsUpWhatWasWritten) {
  const auto written = [&](const Variant& each, bool judged) {
    return measure_all({each}, {.max_samples = 2, .judged = judged})[0].written;
  };
  const uint64_t judged = written(variant("ours", 130), true);
  EXPECT_EQ(written(variant("ours", 130), false), judged);
  const auto breaks = [](Call& call) {
    compute(call);
    std::swap(call.out<float>("y")[5], call.out<float>("y")[6]);
  };
  EXPECT_NE(written(variant("ours", 130, breaks), false), judged);
}

// Nobody reads inputs on the host there. The sums of above say that it makes the same bits.
TEST_F(Measure, TheGpuMakesItsDataWhereNothingIsJudged) {
  measure_all({variant("ours", 130)}, {.max_samples = 2});
  EXPECT_EQ(runtime.made_bytes(), 0u);
  const size_t uploaded = runtime.uploaded_bytes();
  measure_all({variant("ours", 130)}, {.max_samples = 2, .judged = false});
  EXPECT_EQ(runtime.made_bytes(), 2 * 128 * 512 * sizeof(float)) << "x and z";
  EXPECT_LT(runtime.uploaded_bytes() - uploaded, uploaded / 2) << "poison of y only";
  Variant atomic = variant("ours", 130);
  atomic.deterministic = false;
  measure_all({atomic}, {.max_samples = 2, .judged = false});
  EXPECT_EQ(runtime.made_bytes(), 2 * 128 * 512 * sizeof(float)) << "it is judged in every process";
}

TEST_F(Measure, WhatIsNotJudgedPassesUnlessItMayDiffer) {
  const auto nothing = [](Call&) {};
  EXPECT_EQ(measure({variant("ours", 130, nothing)}, {.judged = false})[0].verdict, Kind::pass);
  Variant atomic = variant("ours", 130, nothing);
  atomic.deterministic = false;
  EXPECT_EQ(measure({atomic}, {.judged = false})[0].verdict, Kind::unwritten) << "no sum says that it is right";
}

TEST_F(Measure, NoCandidatesNoRows) { EXPECT_THAT(measure({}), IsEmpty()); }

TEST(CaseFor, TakesABlockSizeOfTheVariant) {
  const auto block_of = [](std::optional<int> asked, std::vector<int> sizes) {
    Case c = *read_case("made_up/any f32 rows=1 cols=1 fill=normal seed=0");
    c.block = asked;
    const Case own = case_for(c, {.op = "made_up", .name = "ours", .summary = "", .blocks = std::move(sizes)});
    EXPECT_EQ(own.variant, "ours");
    return own.block;
  };
  EXPECT_EQ(block_of({}, {}), std::nullopt);
  EXPECT_EQ(block_of(128, {}), std::nullopt) << "the variant fixes its own";
  EXPECT_EQ(block_of(96, {32, 96, 512}), 96);
  EXPECT_EQ(block_of({}, {32, 192, 256, 512}), 256);
  EXPECT_EQ(block_of(64, {32, 96, 512}), 96);
  EXPECT_EQ(block_of({}, {1024, 512}), 512) << "the smallest, where all are larger";
}

}  // namespace
}  // namespace assay
