// Timings survive JSON, missing figures included, and fields that nobody knows are refused.
#include "harness/judge/timing_json.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

using nlohmann::json;

constexpr double Timing::*kFigures[] = {&Timing::median_us,   &Timing::low_us,        &Timing::high_us,
                                        &Timing::noise,       &Timing::median_cycles, &Timing::gb_per_s,
                                        &Timing::tflop_per_s, &Timing::of_roof,       &Timing::speedup,
                                        &Timing::speedup_low, &Timing::speedup_high};

Timing full_timing() {
  Timing timing;
  timing.gpu = "Example GPU";
  double value = 1.0 / 3;
  for (const auto figure : kFigures) timing.*figure = value *= 1.7;
  timing.roof = "copy 4.25 TB/s";
  timing.vendor = "op/library_call";
  timing.verified = true;
  timing.end = "noise";
  timing.samples = {{10.5, 1980, false}, {11.25, 1200, true}};
  return timing;
}

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

RC_GTEST_PROP(TimingJson, RoundTripsThroughText,
              (const std::vector<std::pair<uint32_t, bool>>& draws,
               const std::vector<std::tuple<uint32_t, uint16_t, bool>>& samples, bool verified)) {
  Timing timing;
  for (size_t i = 0; i < std::min(draws.size(), std::size(kFigures)); ++i)
    if (draws[i].second) timing.*kFigures[i] = draws[i].first / 7.0;
  timing.verified = verified;
  for (const auto& [us, mhz, discarded] : samples) timing.samples.push_back({us / 7.0, mhz / 3.0, discarded});

  const Timing back = timing_from_json(json::parse(to_json(timing).dump()));
  for (const auto figure : kFigures) RC_ASSERT(same(back.*figure, timing.*figure));
  RC_ASSERT(back.verified == verified);
  RC_ASSERT(back.samples.size() == samples.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    RC_ASSERT(back.samples[i].us == timing.samples[i].us);
    RC_ASSERT(back.samples[i].sm_mhz == timing.samples[i].sm_mhz);
    RC_ASSERT(back.samples[i].discarded == timing.samples[i].discarded);
  }
}

TEST(TimingJson, HasTheFieldsOfATimingAndLeavesMissingFiguresOut) {
  json full = to_json(full_timing());
  EXPECT_EQ(full.at("samples"), json::parse("[[10.5, 1980.0], [11.25, 1200.0, 1]]"));
  const Timing back = timing_from_json(full);
  EXPECT_EQ(back.gpu, "Example GPU");
  EXPECT_EQ(back.roof, "copy 4.25 TB/s");
  EXPECT_EQ(back.vendor, "op/library_call");
  EXPECT_EQ(back.end, "noise");
  for (const char* field :
       {"gpu", "median_us", "low_us", "high_us", "noise", "median_cycles", "gb_per_s", "tflop_per_s", "roof", "of_roof",
        "vendor", "speedup", "speedup_low", "speedup_high", "verified", "end", "samples"})
    EXPECT_EQ(full.erase(field), 1u) << field;
  EXPECT_TRUE(full.empty()) << full;
  const json bare = to_json(Timing{});
  for (const char* word : {"gpu", "roof", "vendor", "verified", "end", "samples"})
    EXPECT_TRUE(bare.contains(word)) << word;
  EXPECT_EQ(bare.size(), 6u) << bare;
}

TEST(TimingJson, MalformedTimingsAreRefused) {
  const auto refused = [](const char* pointer, json value) {
    json timing = to_json(full_timing());
    timing[json::json_pointer(pointer)] = std::move(value);
    EXPECT_THROW(timing_from_json(timing), json::exception) << pointer;
  };
  refused("/mean_us", 3);  // unknown
  refused("/median_us", "quick");
  refused("/median_us", nullptr);
  refused("/verified", "yes");
  refused("/gpu", 5);
  refused("/samples/0", 12);
  refused("/samples/1", json::array({12}));
  refused("/samples/0/1", "fast");
  json without = to_json(full_timing());
  without.erase("samples");
  EXPECT_THROW(timing_from_json(without), json::exception);
}

}  // namespace
}  // namespace assay
