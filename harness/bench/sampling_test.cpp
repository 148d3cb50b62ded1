// The sampling loop under a simulated clock: what it runs in which order, and when it stops.
#include "harness/bench/sampling.h"

#include <gmock/gmock.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "harness/bench/estimates.h"

namespace assay::bench {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

// Time passes only by running: each run takes as long as its sample says.
class Simulated : public Stopwatch {
 public:
  // Called with the candidate and how many runs there were before.
  using Script = std::function<Result<TimingSample>(size_t candidate, size_t run)>;

  explicit Simulated(Script script) : script_(std::move(script)) {}

  Result<TimingSample> run(size_t candidate) override {
    auto sample = script_(candidate, order.size());
    order += static_cast<char>('A' + candidate);
    if (sample) now_s_ += sample->us / 1e6;
    return sample;
  }
  double now_s() override { return now_s_; }

  std::string order;  // "ABBA"

 private:
  Script script_;
  double now_s_ = 100;
};

Result<TimingSample> steady(size_t candidate, size_t) {
  return TimingSample{100.0 * static_cast<double>(candidate + 1), 1000};
}

// Runs that alternate between two times 20 % apart: their median is never known well.
Result<TimingSample> noisy(size_t, size_t run) { return TimingSample{run % 4 < 2 ? 100.0 : 120.0, 1000}; }

TEST(WarmUp, EndsWhenTwoSuccessiveTimesAgree) {
  const std::vector<double> times = {200, 150, 103, 101, 50};
  Simulated stopwatch([&](size_t, size_t run) { return TimingSample{times.at(run), 1000}; });
  EXPECT_FALSE(warm_up(stopwatch, 1, /*least_s=*/0));
  EXPECT_EQ(stopwatch.order, "AAAA") << "103 and 101 are within 2 %";
}

TEST(WarmUp, LastsUntilTheClockIsSteady) {
  Simulated stopwatch([](size_t, size_t) { return TimingSample{1000, 1000}; });
  EXPECT_FALSE(warm_up(stopwatch, 2));
  EXPECT_EQ(stopwatch.order, std::string(50, 'A') + std::string(50, 'B')) << "50 ms of each";
}

TEST(WarmUp, GivesUpAfterHalfASecondOfEach) {
  Simulated stopwatch([](size_t, size_t run) { return TimingSample{run % 2 ? 10e3 : 20e3, 1000}; });
  EXPECT_FALSE(warm_up(stopwatch, 2));
  EXPECT_EQ(stopwatch.order, std::string(33, 'A') + std::string(34, 'B')) << "500 ms";
  Simulated slow([](size_t, size_t run) { return TimingSample{run % 2 ? 1e6 : 2e6, 1000}; });
  EXPECT_FALSE(warm_up(slow, 1));
  EXPECT_EQ(slow.order, "AA");
}

TEST(WarmUp, EndsWhereTheClockStandsStillOrTimesAreNan) {
  Simulated stopwatch([](size_t, size_t) { return TimingSample{kNoTime, 1000}; });
  EXPECT_FALSE(warm_up(stopwatch, 1));
}

TEST(WarmUp, SaysWhoseRunFailed) {
  Simulated stopwatch([](size_t candidate, size_t run) -> Result<TimingSample> {
    if (candidate == 1) return fail("broken");
    return steady(candidate, run);
  });
  const auto error = warm_up(stopwatch, 3);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->candidate, 1);
  EXPECT_EQ(error->error.what, "broken");
}

TEST(Sampling, EveryBlockIsThereAndBack) {
  std::set<std::string> blocks;
  for (const uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    Simulated stopwatch(steady);
    const Sampled sampled = sample(stopwatch, 3, {.max_samples = 4, .default_mhz = 0, .seed = seed});
    ASSERT_EQ(stopwatch.order.size(), 12U);
    for (const std::string& block : {stopwatch.order.substr(0, 6), stopwatch.order.substr(6)}) {
      EXPECT_EQ(block, std::string(block.rbegin(), block.rend()));
      EXPECT_EQ((std::set<char>{block[0], block[1], block[2]}), (std::set<char>{'A', 'B', 'C'}));
      blocks.insert(block);
    }
    EXPECT_THAT(sampled.samples, Each(SizeIs(4)));
    for (size_t i = 0; i < 3; ++i)
      EXPECT_THAT(sampled.samples[i], Each(Field(&TimingSample::us, 100.0 * static_cast<double>(i + 1))));
  }
  EXPECT_GE(blocks.size(), 4U) << "it is drawn who begins";
}

TEST(Sampling, EndsWhenEveryCandidateIsQuiet) {
  Simulated stopwatch(steady);
  const Sampled sampled = sample(stopwatch, 2, {.min_samples = 20});
  EXPECT_THAT(sampled.ends, Each("noise"));
  EXPECT_THAT(sampled.samples, Each(SizeIs(20))) << "never fewer than the least number";
}

TEST(Sampling, ALoudCandidateGoesOnAlone) {
  size_t loud_runs = 0;
  Simulated stopwatch(
      [&](size_t candidate, size_t run) { return candidate == 0 ? steady(0, run) : noisy(1, loud_runs++); });
  const Sampled sampled = sample(stopwatch, 2, {.max_samples = 60});
  EXPECT_THAT(sampled.ends, ElementsAre("noise", "samples"));
  EXPECT_THAT(sampled.samples[0], SizeIs(20));
  EXPECT_THAT(sampled.samples[1], SizeIs(60));
  EXPECT_GT(noise(kept_us(sampled.samples[1])), 0.005);
}

// A candidate that takes a thousand times as long has spent its share after one block; the other has all its samples.
TEST(Sampling, ASlowCandidateCostsTheOtherNothing) {
  size_t quick_runs = 0;
  Simulated stopwatch([&](size_t candidate, size_t) -> Result<TimingSample> {
    if (candidate == 0) return TimingSample{100e3, 1000};
    return noisy(1, quick_runs++);
  });
  const Sampled sampled = sample(stopwatch, 2, {.budget_s = 0.2});
  EXPECT_THAT(sampled.ends, ElementsAre("budget", "budget"));
  EXPECT_THAT(sampled.samples[0], SizeIs(2));
  EXPECT_GT(sampled.samples[1].size(), 900U) << "of 110 us, in a tenth of a second";
}

TEST(Sampling, NoiseIsAnOption) {
  Simulated stopwatch(noisy);
  const Sampled sampled = sample(stopwatch, 1, {.noise = 0.2});
  EXPECT_THAT(sampled.ends, Each("noise"));
}

TEST(Sampling, EndsWithTheBlockInWhichTheBudgetIsSpent) {
  Simulated stopwatch(noisy);  // 440 µs a block, 220 of each
  const Sampled sampled = sample(stopwatch, 2, {.budget_s = 4.4 * 440e-6});
  EXPECT_THAT(sampled.ends, Each("budget"));
  EXPECT_THAT(sampled.samples, Each(SizeIs(10))) << "the fifth block is not cut short";
}

TEST(Sampling, MeasuresOneBlockHoweverSmallTheBudget) {
  Simulated stopwatch(steady);
  const Sampled sampled = sample(stopwatch, 2, {.budget_s = 0});
  EXPECT_THAT(sampled.ends, Each("budget"));
  EXPECT_THAT(stopwatch.order, AnyOf("ABBA", "BAAB"));
}

TEST(Sampling, AnOddMostIsOneLess) {
  Simulated stopwatch(noisy);
  EXPECT_THAT(sample(stopwatch, 1, {.max_samples = 7}).samples, Each(SizeIs(6)));
}

TEST(Sampling, DiscardsThrottledSamplesAndGoesOn) {
  Simulated stopwatch([](size_t, size_t run) { return TimingSample{100, run < 10 ? 500.0 : 1000.0}; });
  const Sampled sampled = sample(stopwatch, 1, {.default_mhz = 1000});
  EXPECT_THAT(sampled.ends, Each("noise"));
  EXPECT_THAT(sampled.samples[0], SizeIs(30)) << "20 besides the 10 that are discarded";
  EXPECT_THAT(kept_us(sampled.samples[0]), SizeIs(20));
  EXPECT_TRUE(sampled.samples[0][9].discarded);
  EXPECT_FALSE(sampled.samples[0][10].discarded);
}

TEST(Sampling, MostlyThrottledIsTheEndOfThatCandidate) {
  Simulated stopwatch([](size_t candidate, size_t run) {
    const bool slow = candidate == 1 && run % 8 != 0;
    return TimingSample{run % 2 ? 100.0 : 120.0, slow ? 740.0 : 1000.0};
  });
  const Sampled sampled = sample(stopwatch, 2, {.max_samples = 40, .default_mhz = 1000});
  EXPECT_THAT(sampled.ends, ElementsAre("samples", "throttled"));
  EXPECT_THAT(sampled.samples, Each(SizeIs(40)));
}

TEST(Sampling, AnErrorKeepsWhatWasSampled) {
  Simulated stopwatch([](size_t candidate, size_t run) -> Result<TimingSample> {
    if (run == 6) return fail("the GPU failed");
    return steady(candidate, run);
  });
  const Sampled sampled = sample(stopwatch, 2, {});
  EXPECT_THAT(sampled.ends, IsEmpty());
  ASSERT_TRUE(sampled.error);
  EXPECT_EQ(sampled.error->what, "the GPU failed");
  EXPECT_EQ(sampled.samples[0].size() + sampled.samples[1].size(), 6U);
  EXPECT_EQ(sampled.failed, static_cast<size_t>(stopwatch.order.back() - 'A')) << "who ran last";
}

TEST(Sampling, ATimeOfNanIsNeverQuiet) {
  Simulated stopwatch([](size_t, size_t run) { return TimingSample{run == 3 ? kNoTime : 100.0, 1000}; });
  const Sampled sampled = sample(stopwatch, 1, {.budget_s = 1e9, .max_samples = 50});
  EXPECT_THAT(sampled.ends, Each("samples"));
}

}  // namespace
}  // namespace assay::bench
