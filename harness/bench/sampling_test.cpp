// The sampling loop under a simulated clock: what it runs in which order, and when it stops.
#include "harness/bench/sampling.h"

#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <vector>

#include "harness/bench/estimates.h"

namespace assay::bench {
namespace {

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
  EXPECT_FALSE(warm_up(stopwatch, 1));
  EXPECT_EQ(stopwatch.order, "AAAA") << "103 and 101 are within 2 %";
}

TEST(WarmUp, GivesUpAfterTenRunsOfEach) {
  Simulated stopwatch([](size_t, size_t run) { return TimingSample{run % 2 ? 100.0 : 200.0, 1000}; });
  EXPECT_FALSE(warm_up(stopwatch, 2));
  EXPECT_EQ(stopwatch.order, std::string(10, 'A') + std::string(10, 'B'));
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

TEST(Sampling, InterleavesForwardAndThenBackward) {
  for (const auto& [candidates, order] : {std::pair<size_t, std::string>{1, "AA"}, {2, "ABBA"}, {3, "ABCCBA"}}) {
    Simulated stopwatch(steady);
    const Sampled sampled = sample(stopwatch, candidates, {.max_samples = 4, .default_mhz = 0});
    EXPECT_EQ(stopwatch.order, order + order);
    EXPECT_THAT(sampled.samples, SizeIs(candidates));
    EXPECT_THAT(sampled.samples, Each(SizeIs(4)));
    for (size_t i = 0; i < candidates; ++i)
      EXPECT_THAT(sampled.samples[i], Each(Field(&TimingSample::us, 100.0 * static_cast<double>(i + 1))));
  }
}

TEST(Sampling, EndsWhenEveryCandidateIsQuiet) {
  Simulated stopwatch(steady);
  const Sampled sampled = sample(stopwatch, 2, {.min_samples = 20});
  EXPECT_THAT(sampled.ends, Each("noise"));
  EXPECT_THAT(sampled.samples, Each(SizeIs(20))) << "never fewer than the least number";
}

TEST(Sampling, OneLoudCandidateKeepsAllGoing) {
  Simulated stopwatch([](size_t candidate, size_t run) { return candidate == 0 ? steady(0, run) : noisy(1, run / 2); });
  const Sampled sampled = sample(stopwatch, 2, {.max_samples = 60});
  EXPECT_THAT(sampled.ends, Each("samples"));
  EXPECT_THAT(sampled.samples, Each(SizeIs(60)));
  EXPECT_GT(noise(kept_us(sampled.samples[1])), 0.005);
}

TEST(Sampling, NoiseIsAnOption) {
  Simulated stopwatch(noisy);
  const Sampled sampled = sample(stopwatch, 1, {.noise = 0.2});
  EXPECT_THAT(sampled.ends, Each("noise"));
}

TEST(Sampling, EndsWithTheBlockInWhichTheBudgetIsSpent) {
  Simulated stopwatch(noisy);  // 440 µs a block
  const Sampled sampled = sample(stopwatch, 2, {.budget_s = 4.5 * 440e-6});
  EXPECT_THAT(sampled.ends, Each("budget"));
  EXPECT_THAT(sampled.samples, Each(SizeIs(10))) << "the fifth block is not cut short";
}

TEST(Sampling, MeasuresOneBlockHoweverSmallTheBudget) {
  Simulated stopwatch(steady);
  const Sampled sampled = sample(stopwatch, 2, {.budget_s = 0});
  EXPECT_THAT(sampled.ends, Each("budget"));
  EXPECT_EQ(stopwatch.order, "ABBA");
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
    const bool slow = candidate == 1 && run % 4 != 0;
    return TimingSample{100, slow ? 740.0 : 1000.0};
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
  EXPECT_EQ(sampled.failed, 1) << "A B B A A B: the third of B";
  EXPECT_THAT(sampled.samples[0], SizeIs(3));
  EXPECT_THAT(sampled.samples[1], SizeIs(3));
}

TEST(Sampling, ATimeOfNanIsNeverQuiet) {
  Simulated stopwatch([](size_t, size_t run) { return TimingSample{run == 3 ? kNoTime : 100.0, 1000}; });
  const Sampled sampled = sample(stopwatch, 1, {.budget_s = 1e9, .max_samples = 50});
  EXPECT_THAT(sampled.ends, Each("samples"));
}

}  // namespace
}  // namespace assay::bench
