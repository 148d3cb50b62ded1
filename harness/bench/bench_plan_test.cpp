// The plan of a bench: who meets whom, in which case, and what is left out.
#include "harness/bench/bench_plan.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "harness/bench/forecast.h"
#include "harness/device/cuda/vendor_libraries.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr const char* kDevice = "made up";

// A vendor's variant, of which this build has none on the CPU, and two to meet it.
void add_variants() {
  static const bool added = [] {
    for (const char* name : {"zz_ours", "our_other", "library"}) {
      Variant variant;
      variant.op = "softmax_forward";
      variant.name = name;
      variant.device = kDevice;
      variant.vendor = std::string(name) == "library" ? "cuLibrary" : "";
      variant.run = [](Call&) {};
      register_variant(variant);
    }
    return true;
  }();
  (void)added;
}

BenchLine line_of(const std::string& text, const std::string& from = "a model") {
  const auto c = read_case(text);
  EXPECT_TRUE(c.has_value()) << (c ? "" : c.error().line());
  return {*c, from};
}

Suite suite_of(std::vector<BenchLine> lines) {
  add_variants();
  Suite suite;
  suite.name = "some";
  suite.path = "some.toml";
  suite.bench = std::move(lines);
  return suite;
}

std::string softmax(const std::string& variant, int64_t rows) {
  return "softmax_forward/" + variant + " f32 rows=" + std::to_string(rows) + " cols=1024 fill=normal seed=1";
}

std::vector<std::string> names_of(const BenchCase& one) {
  std::vector<std::string> names;
  for (const Variant* variant : one.candidates) names.push_back(variant->name);
  return names;
}

TEST(PlanBench, VendorsMeetWhateverIsSelected) {
  const Suite suite = suite_of({line_of(softmax("*", 64)), line_of(softmax("zz_ours", 65))});
  const auto all = plan_bench(suite, {}, kDevice);
  ASSERT_TRUE(all.has_value());
  ASSERT_EQ(all->cases.size(), 2u);
  EXPECT_THAT(names_of(all->cases[0]), testing::ElementsAre("library", "our_other", "zz_ours"));
  EXPECT_THAT(names_of(all->cases[1]), testing::ElementsAre("library", "zz_ours"));
  const auto one = plan_bench(suite, {"softmax_forward/our_other"}, kDevice);
  ASSERT_TRUE(one.has_value());
  ASSERT_EQ(one->cases.size(), 1u);
  EXPECT_THAT(names_of(one->cases[0]), testing::ElementsAre("library", "our_other"));
}

TEST(PlanBench, SaysWhatSelectsNothing) {
  const Suite suite = suite_of({line_of(softmax("*", 64))});
  EXPECT_THAT(plan_bench(suite, {"no_such"}, kDevice).error().line(), HasSubstr("'no_such' selects no variant"));
  EXPECT_THAT(plan_bench(suite, {"transpose_2d"}, "cpu").error().line(), HasSubstr("no bench line"));
  EXPECT_THAT(plan_bench(suite_of({}), {}, kDevice).error().line(), HasSubstr("no bench line"));
}

TEST(PlanBench, ANamedVariantThatIsNotThereIsSkippedWithTheReason) {
  const auto plan = plan_bench(suite_of({line_of(softmax("*", 64)), line_of(softmax("gone", 64))}), {}, kDevice);
  ASSERT_TRUE(plan.has_value());
  ASSERT_EQ(plan->skipped.size(), 1u);
  EXPECT_THAT(plan->skipped[0].detail, HasSubstr("no variant softmax_forward/gone for made up"));
}

TEST(PlanBench, ScaledDownLinesThatBecomeTheSameCaseRunOnce) {
  const Suite suite = suite_of({line_of(softmax("*", 4096), "one"), line_of(softmax("*", 8192), "two")});
  const auto plan = plan_bench(suite, {}, kDevice);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->cases.size(), 2u);
  const BenchPlan small = scaled_down(*plan, {.elements_max = 100'000, .flops_max = 1'000'000}, kDevice);
  ASSERT_EQ(small.cases.size(), 1u);
  EXPECT_LE(small.cases[0].c.dim("rows"), 256);
  ASSERT_EQ(small.cases[0].stands_for.size(), 2u);
  EXPECT_EQ(small.cases[0].stands_for[0].from, "one");
  EXPECT_EQ(small.cases[0].stands_for[1].from, "two");
  EXPECT_EQ(small.cases[0].stands_for[1].c.dim("rows"), 8192);
}

TEST(PlanBench, WhatCannotBeScaledDownIsSkippedForEveryCandidate) {
  const auto plan = plan_bench(suite_of({line_of(softmax("*", 4096))}), {}, kDevice);
  ASSERT_TRUE(plan.has_value());
  const BenchPlan small = scaled_down(*plan, {.elements_max = 1, .flops_max = 1}, kDevice);
  EXPECT_TRUE(small.cases.empty());
  ASSERT_EQ(small.skipped.size(), 3u);
  EXPECT_EQ(small.skipped[0].verdict, Kind::skipped);
  EXPECT_THAT(small.skipped[0].detail, HasSubstr("too expensive for the executor"));
}

// The time after which `scripts/gpu` is done with so many of the plan's cases.
double until(const BenchPlan& plan, size_t cases) {
  double sum = kRoofs_s;
  for (size_t i = 0; i < cases; ++i) sum += forecast(plan.cases[i], {.budget_s = 1}, /*processes=*/3).total();
  return sum;
}

// The plan with a vendor's variant in each case besides our own, which plans for each shape where cuDNN has graphs.
BenchPlan with_libraries(BenchPlan plan) {
  static const Variant library{.op = "any", .name = "library", .summary = ""};
  static const Variant planner{.op = "any", .name = "planner", .summary = ""};
  register_planning("any/planner");
  for (BenchCase& one : plan.cases) {
    const bool planned = one.c.op.starts_with("attention_") || one.c.op.starts_with("rms_norm_");
    one.candidates.push_back(planned ? &planner : &library);
  }
  return plan;
}

// A line that costs minutes, as they did when every candidate filled its own tensors, would show here; so would a
// process for each case, or checks one after the other.
TEST(Forecast, TheSuiteBenchEndsInTime) {
  const auto suite = read_suite(ASSAY_SOURCE_DIR "/cases/bench.toml");
  ASSERT_TRUE(suite.has_value()) << suite.error().line();
  const auto plan = plan_bench(*suite, {}, "cpu");
  ASSERT_TRUE(plan.has_value()) << plan.error().line();
  EXPECT_EQ(plan->cases.size(), suite->bench.size()) << "every line is a case of its own";
  EXPECT_LE(until(*plan, plan->cases.size()), 600);
  const BenchPlan all = with_libraries(*plan);
  EXPECT_LE(until(all, 15), 160) << "what has a mark to beat";
  EXPECT_LE(until(all, all.cases.size()), 710);
}

TEST(Forecast, WhatHasAMarkComesFirst) {
  const auto suite = read_suite(ASSAY_SOURCE_DIR "/cases/bench.toml");
  ASSERT_TRUE(suite.has_value());
  std::set<std::string> first;
  for (size_t i = 0; i < 15; ++i) first.insert(suite->bench[i].c.op);
  for (const char* op : {"attention_forward", "attention_backward", "attention_bias_backward", "attention_decode",
                         "rms_norm_forward", "rms_norm_backward", "softmax_forward", "cross_entropy_forward_backward",
                         "embedding_backward", "transpose_2d", "top_k_mask", "gemm", "gemm_nt_quant"})
    EXPECT_TRUE(first.contains(op)) << op;
}

TEST(Forecast, GrowsWithWhatItCounts) {
  const auto plan = plan_bench(suite_of({line_of(softmax("*", 64)), line_of(softmax("*", 1 << 20))}), {}, kDevice);
  ASSERT_TRUE(plan.has_value());
  const Forecast small = forecast(plan->cases[0], {}, 3), large = forecast(plan->cases[1], {}, 3);
  EXPECT_EQ(small.starting, large.starting);
  EXPECT_LT(small.filling, large.filling);
  EXPECT_LT(small.moving, large.moving);
  EXPECT_LT(small.verifying, large.verifying);
  const Forecast longer = forecast(plan->cases[1], {}, 5);
  EXPECT_LT(large.starting, longer.starting);
  EXPECT_LT(large.moving, longer.moving);
}

}  // namespace
}  // namespace assay
