// Totals decide, ratios of them are notes, and every difference that is shown can be seen.
#include <gmock/gmock.h>

#include <rapidcheck/gtest.h>

#include "harness/compare/accuracy.h"
#include "harness/compare/kernels.h"
#include "harness/compare/test_runs.h"

namespace assay::comparison {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

void set_ratio(Subject& subject, const std::string& metric, double value, Better better) {
  set_exact(subject, metric, value, better);
  subject.series[metric].is_ratio = true;
}

void set_bytes(Subject& subject, double bytes) {
  set_exact(subject, kBytes, bytes);
  subject.series[kBytes].verb = "moves";
}

// Bytes and active lanes of one row, before and after.
Comparison moved(double bytes_before, double bytes, double lanes_before, double lanes,
                 const CompareOptions& options = {}) {
  Measured before = test_run(), after = test_run();
  Subject &from = add_subject(before, "rows=3"), &to = add_subject(after, "rows=3");
  set_bytes(from, bytes_before);
  set_bytes(to, bytes);
  set_ratio(from, "active_lanes", lanes_before, Better::higher);
  set_ratio(to, "active_lanes", lanes, Better::higher);
  return compare(before, after, options);
}

TEST(Counts, HalfTheBytesByFewerLanesIsAnImprovement) {
  const Comparison comparison = moved(4096, 2048, 1, 0.5);
  EXPECT_EQ(outcome(comparison), Outcome::same);
  EXPECT_EQ(line_of(comparison, kBytes).change, Change::improved);
  EXPECT_EQ(line_of(comparison, "active_lanes").metric, "no line of active_lanes");
  const auto kernels = kernels_of(comparison);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(sentence(kernels[0]), "softmax/warp moves 0.5 × the bytes");
  EXPECT_EQ(kernels[0].ratios, "active_lanes 1 -> 0.5");
  EXPECT_THAT(comparison_text(comparison), HasSubstr("moves 0.5 × the bytes\n  note: active_lanes 1 -> 0.5\n"));
}

TEST(Counts, ARatioDecidesNothingEvenWhenItIsGone) {
  const Comparison better = moved(4096, 4096, 0.5, 1);
  EXPECT_EQ(outcome(better), Outcome::same);
  EXPECT_EQ(better.count(Change::improved), 0);
  EXPECT_EQ(better.ratios.size(), 1u);
  EXPECT_THAT(moved(4096, 4096, 0.06062, 0.060619).ratios, IsEmpty()) << "it moved by less than a thousandth";
  Measured before = test_run(), after = test_run();
  set_ratio(add_subject(before, "rows=3"), "atomics_per_address", 4, Better::lower);
  add_subject(after, "rows=3");
  EXPECT_EQ(compare(before, after).count(Change::missing), 0) << "a kernel without atomics has none for each address";
}

TEST(Counts, AnyGrowthCountsUnlessItIsAllowed) {
  const auto change = [](double bytes, double growth_max) {
    return line_of(moved(1000, bytes, 1, 1, {.growth_max = growth_max}), kBytes).change;
  };
  EXPECT_EQ(change(1001, 0), Change::regressed);
  EXPECT_EQ(change(1050, 0.05), Change::same);
  EXPECT_EQ(change(1051, 0.05), Change::regressed);
  EXPECT_EQ(change(999, 0.05), Change::improved) << "a decrease is reported";
  EXPECT_EQ(line_of(moved(0, 1, 1, 1, {.growth_max = 0.5}), kBytes).change, Change::regressed) << "no share of nothing";
}

TEST(Counts, ErrorsInTheFifthDigitAreTheSame) {
  const auto with_error = [](double error) {
    Measured run = test_run();
    add_subject(run, "rows=3").error_over_budget = error;
    return run;
  };
  for (const auto& [from, to] : {std::pair{0.06062, 0.06061}, {0.06061, 0.06062}})
    for (const Line& line : compare(with_error(from), with_error(to)).lines) EXPECT_EQ(line.change, Change::same);
}

TEST(Counts, ABaseWithoutTotalsIsToBeMadeAgain) {
  Measured before = test_run(), after = test_run();
  add_subject(before, "rows=3");
  set_bytes(add_subject(after, "rows=3"), 10);
  EXPECT_THAT(compare(before, after).notes, testing::Contains(HasSubstr("make BASE again")));
}

TEST(Counts, ASentenceTellsTheLargestOfEachSort) {
  Measured before = test_run(), after = test_run();
  for (int cols = 1; cols <= 2; ++cols) {
    Subject &from = add_subject(before, "cols=" + std::to_string(cols)),
            &to = add_subject(after, "cols=" + std::to_string(cols));
    set_bytes(from, 1000);
    set_bytes(to, 1000 + 385 * cols);
    set_exact(from, "bank conflicts", 0);
    set_exact(to, "bank conflicts", 0);
    set_exact(from, "warp_instructions", 100);
    set_exact(to, "warp_instructions", cols == 1 ? 50 : 100);
  }
  EXPECT_EQ(sentence(kernels_of(compare(before, after)).at(0)),
            "softmax/warp moves up to 1.77 × the bytes and has 0.5 × the warp instructions");
  set_exact(after.subjects.begin()->second, "bank conflicts", 12);
  EXPECT_THAT(sentence(kernels_of(compare(before, after)).at(0)), HasSubstr("has 12 bank conflicts, none before"));
  after.subjects.begin()->second.failure = "MISMATCH: y";
  EXPECT_THAT(sentence(kernels_of(compare(before, after)).at(0)), HasSubstr("softmax/warp fails where it passed"));
}

TEST(Counts, AFactorIsNeverOneForAChange) {
  EXPECT_EQ(sentence(kernels_of(moved(1'000'000, 1'000'001, 1, 1)).at(0)), "softmax/warp moves 1.000001 × the bytes");
  EXPECT_THAT(comparison_text(moved(1'000'000, 1'000'001, 1, 1)), HasSubstr("+0.0001 %  1000000 -> 1000001"));
}

RC_GTEST_PROP(Counts, ValuesThatDifferLookDifferent, ()) {
  const auto a = static_cast<double>(*rc::gen::inRange<int64_t>(-4'000'000'000, 4'000'000'000)) / 1e5;
  const double b = a + static_cast<double>(*rc::gen::inRange<int64_t>(1, 100)) / 1e5;
  const auto [before, after] = told_apart(a, b);
  RC_ASSERT(before != after);
  RC_ASSERT(told_apart(a, a).first == told_apart(a, a).second);
}

TEST(Counts, ShortWhereThatIsEnough) {
  EXPECT_EQ(told_apart(12.4800001, 13.19), std::pair(std::string("12.48"), std::string("13.19")));
  EXPECT_EQ(told_apart(2.97001, 2.97002), std::pair(std::string("2.97001"), std::string("2.97002")));
  EXPECT_EQ(told_apart(123456, 123457), std::pair(std::string("123456"), std::string("123457")));
}

}  // namespace
}  // namespace assay::comparison
