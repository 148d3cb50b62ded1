// judge::repeat: what a second run shows that one run cannot: elements never written, and results of chance.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/test_trial.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Repeated {
  Findings findings;
  int runs;
};

// The trial's run and its repetition by `kernel`; both start from what the seed makes.
Repeated repeated(Judged& judged, FakeKernel kernel, Findings of_the_second = {}) {
  FakeDevice device(std::move(kernel));
  device.run(judged.variant, judged.c, judged.trial.got, judged.c.schedule);
  judge::values(judged.trial);
  device.findings = std::move(of_the_second);
  return {judge::repeat(judged.trial, device), device.runs};
}

TEST(Repeat, IsSilentWhenBothRunsGiveTheSameBits) {
  Judged judged;
  const Repeated twice = repeated(judged, judged.right_kernel());
  EXPECT_TRUE(twice.findings.empty());
  EXPECT_EQ(twice.runs, 2);
}

TEST(Repeat, FindsElementsThatNoRunWrote) {
  Judged judged;
  const FakeKernel right = judged.right_kernel();
  const Repeated twice = repeated(judged, [&](Tensors& tensors, uint64_t schedule) {
    const Tensors before = tensors;
    right(tensors, schedule);
    for (const int64_t i : {47, 158}) tensors.get("y").set_bits(i, before.get("y").bits(i));
  });
  ASSERT_EQ(twice.findings.size(), 1u);
  EXPECT_EQ(twice.findings[0].kind, Kind::unwritten);
  EXPECT_EQ(twice.findings[0].detail, "2 of 160 elements of output y were never written, the first at [1,7]");
}

// A right value may have the bits of one poison; it cannot have those of both.
TEST(Repeat, AValueThatLooksLikePoisonIsWritten) {
  for (const Poison poison : {Poison::first, Poison::second}) {
    Judged judged;
    Tensor like_poison = judged.trial.given.get("y");
    like_poison.poison(poison);
    const Repeated twice = repeated(judged, [&](Tensors& tensors, uint64_t) {
      for (int64_t i = 0; i < like_poison.count(); ++i) tensors.get("y").set_bits(i, like_poison.bits(i));
    });
    EXPECT_TRUE(twice.findings.empty()) << twice.findings.front().detail;
  }
}

// Outputs that a variant declares it does not make are neither wrong nor unwritten, and no other errors are excused.
TEST(Repeat, OmittedOutputsAreLeftOut) {
  Judged judged;
  judged.variant.omits = {"y"};
  const FakeKernel right = judged.right_kernel();
  const FakeKernel totals_only = [&](Tensors& tensors, uint64_t schedule) {
    const Tensor before = tensors.get("y");
    right(tensors, schedule);
    tensors.get("y") = before;
  };
  judged.run(totals_only);
  EXPECT_TRUE(judge::values(judged.trial).empty());
  FakeDevice device(totals_only);
  EXPECT_TRUE(judge::repeat(judged.trial, device).empty());
  judge::sensitivity(judged.trial);
  for (const SensitivityProbe& probe : judged.trial.row.sensitivity)
    EXPECT_EQ(probe.mutant.find(":y"), std::string::npos) << probe.mutant;

  judged.trial.got.get("total").set(1, 1e6);
  EXPECT_EQ(judge::values(judged.trial).size(), 1u);
}

// An accumulated output that a kernel leaves alone is no unwritten memory: adding nothing may be right.
TEST(Repeat, AccumulatedOutputsMayStayAsTheyWere) {
  Judged judged;
  const FakeKernel right = judged.right_kernel();
  const Repeated twice = repeated(judged, [&](Tensors& tensors, uint64_t schedule) {
    const Tensor before = tensors.get("total");
    right(tensors, schedule);
    tensors.get("total") = before;
  });
  EXPECT_TRUE(twice.findings.empty());
}

// One bit, in any written tensor, between two schedules.
FakeKernel depends_on_schedule(Judged& judged, const std::string& tensor, double off) {
  const FakeKernel right = judged.right_kernel();
  return [=](Tensors& tensors, uint64_t schedule) {
    right(tensors, schedule);
    if (schedule == 0) return;
    Tensor& written = tensors.get(tensor);
    if (off == 0)
      written.set_bits(2, written.bits(2) ^ 1);
    else
      written.set(2, written.at(2) + off);
  };
}

TEST(Repeat, FindsResultsThatDependOnTheSchedule) {
  for (const std::string tensor : {"y", "total"}) {
    Judged judged;
    const Repeated twice = repeated(judged, depends_on_schedule(judged, tensor, 0));
    ASSERT_EQ(twice.findings.size(), 1u) << tensor;
    EXPECT_EQ(twice.findings[0].kind, Kind::nondeterministic);
    EXPECT_THAT(twice.findings[0].detail, HasSubstr(" elements of " + tensor +
                                                    " differ between two runs (schedules 0 "
                                                    "and 1), the first at "));
  }
}

TEST(Repeat, WhichNaNItIsDoesNotDependOnTheSchedule) {
  Judged judged;
  const FakeKernel right = judged.right_kernel();
  const Repeated twice = repeated(judged, [&](Tensors& tensors, uint64_t schedule) {
    right(tensors, schedule);
    tensors.get("y").set_bits(2, schedule == 0 ? 0x7fc00000 : 0xffc12345);
  });
  EXPECT_TRUE(twice.findings.empty());
}

// A variant that declares it may differ in the last bits; both runs must be right all the same.
TEST(Repeat, DeclaredNondeterminismIsJudgedByItsValues) {
  Judged last_bit;
  last_bit.variant.deterministic = false;
  EXPECT_TRUE(repeated(last_bit, depends_on_schedule(last_bit, "total", 0)).findings.empty());

  Judged wrong;
  wrong.variant.deterministic = false;
  const Repeated twice = repeated(wrong, depends_on_schedule(wrong, "y", 1));
  ASSERT_EQ(twice.findings.size(), 1u);
  EXPECT_EQ(twice.findings[0].kind, Kind::mismatch);
  EXPECT_THAT(twice.findings[0].detail, HasSubstr("y: 1 of 160 elements are wrong, the first at [0,2]"));
}

TEST(Repeat, DeclaredNondeterminismExcusesNoUnwrittenElement) {
  Judged judged;
  judged.variant.deterministic = false;
  const Repeated twice = repeated(judged, [](Tensors&, uint64_t) {});
  ASSERT_EQ(twice.findings.size(), 1u);
  EXPECT_EQ(twice.findings[0].kind, Kind::unwritten);
}

// The judge reports what the second run itself finds, and does not compare its output.
TEST(Repeat, FindingsOfTheSecondRunComeFirst) {
  Judged judged;
  const Repeated twice = repeated(judged, depends_on_schedule(judged, "y", 1), {{Kind::barrier, "divergent"}});
  ASSERT_EQ(twice.findings.size(), 1u);
  EXPECT_EQ(twice.findings[0].kind, Kind::barrier);
}

}  // namespace
}  // namespace assay
