// Tests the oracles beside values: properties, index functions, harmful schedules of a race, the maker of the first
// NaN.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "harness/judge/test_trial.h"

namespace assay {
namespace {

using testing::HasSubstr;

// -- Properties.

// y of twice x is twice y of x.
std::optional<std::string> not_homogeneous(const PropertyRun& run) {
  Tensors doubled = run.given;
  Tensor& x = doubled.get("x");
  for (int64_t i = 0; i < x.count(); ++i) x.set(i, 2 * x.at(i));
  const Result<Tensors> got = run.run(run.c, doubled);
  if (!got) return got.error().what;
  const std::vector<double> budget = run.budget("y");
  for (int64_t i = 0; i < x.count(); ++i)
    if (!(std::fabs(got->get("y").at(i) - 2 * run.got.get("y").at(i)) <= 4 * budget[static_cast<size_t>(i)]))
      return "y" + std::to_string(i) + " is not doubled";
  return std::nullopt;
}

Contract contract_with_property() {
  Contract contract = judged_contract();
  contract.properties = {{.name = "homogeneous", .states = "2x gives 2y", .broken = not_homogeneous}};
  return contract;
}

const std::string kParams = "f32 rows=4 cols=40 init=random";

Findings properties_of(Judged& judged, FakeDevice& device) {
  device.run(judged.variant, judged.c, judged.trial.got, 0);
  judge::values(judged.trial);
  return judge::properties(judged.trial, device);
}

TEST(Properties, HoldForARightKernel) {
  Judged judged(kParams, contract_with_property());
  FakeDevice device(judged.right_kernel());
  EXPECT_TRUE(properties_of(judged, device).empty());
  EXPECT_EQ(device.runs, 2);
}

TEST(Properties, BrokenOnesAreFoundThoughTheCaseItselfIsRight) {
  Judged judged(kParams, contract_with_property());
  const Tensors right_for = judged.trial.given;
  FakeDevice device([&, right = judged.right_kernel()](Tensors& tensors, uint64_t schedule) {
    right(tensors, schedule);
    if (tensors.get("x").bits(0) != right_for.get("x").bits(0)) tensors.get("y").set(3, 1);  // right by memory only
  });
  const Findings findings = properties_of(judged, device);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, Kind::property);
  EXPECT_EQ(findings[0].detail, "homogeneous (2x gives 2y): y3 is not doubled");
}

// The properties of a right kernel, whose runs for them come to this.
Findings properties_where_runs_come_to(const Finding& finding) {
  Judged judged(kParams, contract_with_property());
  FakeDevice device(judged.right_kernel());
  device.run(judged.variant, judged.c, judged.trial.got, 0);
  judge::values(judged.trial);
  device.findings = {finding};
  return judge::properties(judged.trial, device);
}

TEST(Properties, FindingsOfTheirRunsBreakThem) {
  const Findings findings = properties_where_runs_come_to({Kind::barrier, "divergent barrier"});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].detail, HasSubstr("divergent barrier"));
}

// A property that needs a case beyond what the variant supports reports nothing.
TEST(Properties, ReportNothingWhereTheVariantDoesNotReach) {
  Judged judged(kParams, contract_with_property());
  judged.variant.unsupported = [](const Case&) { return std::optional<std::string>("too small"); };
  FakeDevice device(judged.right_kernel());
  EXPECT_TRUE(properties_of(judged, device).empty());
  EXPECT_EQ(device.runs, 1);
}

// Nor one whose run is refused, as by a library that has no plan for the shape.
TEST(Properties, ReportNothingWhereTheirRunIsRefused) {
  EXPECT_TRUE(properties_where_runs_come_to({Kind::unsupported, "no plan"}).empty());
}

// Neither does a property that changes an input that the variant takes as constant.
TEST(Properties, ReportNothingOfDataInWhichAConstantVaries) {
  Judged judged(kParams, contract_with_property());
  judged.variant.constants = {{"x", 1}};
  FakeDevice device([](Tensors&, uint64_t) {});
  EXPECT_TRUE(properties_of(judged, device).empty());
  EXPECT_EQ(device.runs, 1);
}

// -- Index functions.

template <class Index>
Findings indices_of(Index) {
  Judged judged;
  judged.variant.element_at = [](const Case& c, std::string_view tensor,
                                 const std::vector<int64_t>& at) -> std::optional<int64_t> {
    if (tensor == "total") return std::nullopt;
    return static_cast<int64_t>(static_cast<Index>(at[0]) * static_cast<Index>(c.dim("cols")) +
                                static_cast<Index>(at[1]));
  };
  return judge::indices(judged.trial);
}

TEST(Indices, SixtyFourBitsReachEveryElement) { EXPECT_TRUE(indices_of<int64_t>(0).empty()); }

TEST(Indices, NarrowerOnesWrapOrStopCounting) {
  for (const Findings& findings : {indices_of<uint32_t>(0), indices_of<uint16_t>(0), indices_of<float>(0)}) {
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].kind, Kind::out_of_bounds);
    EXPECT_THAT(findings[0].detail, HasSubstr("the last element of x is "));
  }
}

TEST(Indices, AVariantWithoutAnIndexFunctionIsNotAsked) {
  Judged judged;
  EXPECT_TRUE(judge::indices(judged.trial).empty());
}

// -- Which schedule of a race does harm.

struct RaceCase {
  const char* name;
  uint64_t harmful;  // the schedule under which a value is wrong
  Kind found;        // what the device found in the case's own run
  bool is_reported;
};

TEST(WrongSchedule, ShowsAScheduleInWhichARaceDoesHarm) {
  const RaceCase cases[] = {{"the case's own", 0, Kind::race, true},
                            {"a later one", 5, Kind::race, true},
                            {"the last that is tried", 8, Kind::race, true},
                            {"one that is not tried", 9, Kind::race, false},
                            {"no race", 0, Kind::barrier, false}};
  for (const RaceCase& one : cases) {
    Judged judged;
    FakeDevice device([&, right = judged.right_kernel()](Tensors& tensors, uint64_t schedule) {
      right(tensors, schedule);
      if (schedule == one.harmful) tensors.get("y").set(0, 1e9);
    });
    Findings findings = {{one.found, "what the device reported"}};
    judge::wrong_schedule(judged.trial, device, findings);
    ASSERT_EQ(findings.size(), 1u);
    if (one.is_reported)
      EXPECT_THAT(findings[0].detail, testing::StartsWith("what the device reported; schedule=" +
                                                          std::to_string(one.harmful) + " shows a wrong value: y: 1 "))
          << one.name;
    else
      EXPECT_EQ(findings[0].detail, "what the device reported") << one.name;
  }
}

// -- Who made the first NaN.

std::string detail_with(double got, Kind kind, const std::string& device_reports) {
  Judged judged;
  FakeDevice device(judged.right_kernel());
  device.first_nonfinite_report = device_reports;
  judged.trial.row.worst = {{"y", "[0,0]", got, 1, 2}};
  Findings findings = {{kind, "y is wrong"}};
  judge::first_nonfinite(judged.trial, device, findings);
  return findings[0].detail;
}

TEST(FirstNonfinite, ReportsWhoMadeIt) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(detail_with(kNan, Kind::nonfinite, "made at line 3"), "y is wrong; made at line 3");
  EXPECT_EQ(detail_with(std::numeric_limits<double>::infinity(), Kind::nonfinite, "made at line 3"),
            "y is wrong; made at line 3");
  EXPECT_EQ(detail_with(kNan, Kind::nonfinite, ""), "y is wrong") << "the device does not know";
  EXPECT_EQ(detail_with(1, Kind::nonfinite, "made at line 3"), "y is wrong") << "a NaN is missing, none was made";
  EXPECT_EQ(detail_with(kNan, Kind::mismatch, "made at line 3"), "y is wrong") << "of another kind";
}

}  // namespace
}  // namespace assay
