// Tests elements that are not an op's own: kept ones are judged by their bits, unspecified ones are not, and neither
// lets a judge look less closely at the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/test_trial.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr int64_t kCols = 40;
const char* const kCase = "f32 rows=4 cols=40 init=random";

bool is_kept(int64_t i) { return i % kCols < 3; }
bool is_unspecified(int64_t i) { return i % kCols >= 36; }
bool is_own(int64_t i) { return !is_kept(i) && !is_unspecified(i); }

// y of which the first three columns are kept and the last four unspecified.
Contract with_regions() {
  Contract contract = judged_contract();
  contract.tensors[1].regions = [](const Case& c) {
    const int64_t rows = c.dim("rows");
    Regions regions;
    regions.mark_columns(rows, kCols, 0, 3, Region::kept);
    regions.mark_columns(rows, kCols, 36, kCols, Region::unspecified);
    return regions;
  };
  return contract;
}

// Writes its own elements and no others.
FakeKernel own_elements(const Judged& judged) {
  return [&judged](Tensors& tensors, uint64_t) {
    for (const auto& result : judged.contract.reference.value(judged.c, tensors))
      for (int64_t i = 0; i < std::ssize(result.values); ++i)
        if (result.name != "y" || is_own(i)) tensors.get(result.name).set(i, result[i]);
  };
}

// After the kernel's run, `also` writes to y.
Findings judged_after(Judged& judged, const std::function<void(Tensor& y, uint64_t schedule)>& also) {
  FakeDevice device([&judged, also, own = own_elements(judged)](Tensors& tensors, uint64_t schedule) {
    own(tensors, schedule);
    also(tensors.get("y"), schedule);
  });
  device.run(judged.variant, judged.c, judged.trial.got, 0);
  Findings findings = judge::memory(judged.trial);
  findings += judge::values(judged.trial);
  findings += judge::repeat(judged.trial, device);
  return findings;
}

TEST(Regions, AKernelThatWritesItsOwnElementsPasses) {
  Judged judged(kCase, with_regions());
  EXPECT_TRUE(judged_after(judged, [](Tensor&, uint64_t) {}).empty());
}

TEST(Regions, OneBitOfAKeptElementIsAChange) {
  Judged judged(kCase, with_regions());
  const Findings findings = judged_after(judged, [](Tensor& y, uint64_t) { y.set_bits(82, y.bits(82) ^ 1); });
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(Verdict::worst(findings).kind, Kind::input_changed);
  EXPECT_THAT(findings[0].detail, HasSubstr("y[2,2] is none of the elements that the op writes"));
  EXPECT_THAT(findings[0].detail, HasSubstr("(1 of 12 such elements changed)"));
}

TEST(Regions, ZerosInAllKeptElementsAreAChange) {
  Judged judged(kCase, with_regions());
  const Findings findings = judged_after(judged, [](Tensor& y, uint64_t) {
    for (int64_t i = 0; i < y.count(); ++i)
      if (is_kept(i)) y.set(i, 0);
  });
  EXPECT_THAT(Verdict::worst(findings).detail, HasSubstr("(12 of 12 such elements changed)"));
}

// Left unwritten, written, and otherwise in every run.
TEST(Regions, UnspecifiedElementsMayHoldAnything) {
  const std::function<void(Tensor&, int64_t, uint64_t)> ways[] = {
      [](Tensor& y, int64_t i, uint64_t) { y.set(i, 0); }, [](Tensor& y, int64_t i, uint64_t) { y.set(i, NAN); },
      [](Tensor& y, int64_t i, uint64_t schedule) { y.set(i, static_cast<double>(schedule)); }};
  for (const auto& write : ways) {
    Judged judged(kCase, with_regions());
    EXPECT_TRUE(judged_after(judged, [&](Tensor& y, uint64_t schedule) {
                  for (int64_t i = 0; i < y.count(); ++i)
                    if (is_unspecified(i)) write(y, i, schedule);
                }).empty());
  }
}

TEST(Regions, TheOthersAreJudgedAsEver) {
  Judged wrong(kCase, with_regions());
  EXPECT_EQ(Verdict::worst(judged_after(wrong, [](Tensor& y, uint64_t) { y.set(43, 1e6); })).kind, Kind::mismatch);
  Judged unwritten(kCase, with_regions());
  const Tensors before = unwritten.trial.given;
  const Findings findings = judged_after(unwritten, [&](Tensor& y, uint64_t schedule) {
    Tensors poisoned = before;
    if (schedule > 0) poisoned.get("y").poison(Poison::second);
    y.set_bits(43, poisoned.get("y").bits(43));
  });
  EXPECT_THAT(Verdict::worst(findings).detail, HasSubstr("1 of 160 elements of output y were never written"));
}

// -- The audit.

bool is_noticed(const Judged& judged, const std::string& mutant) {
  for (const auto& probe : judged.trial.row.sensitivity)
    if (probe.mutant == mutant) return probe.noticed;
  ADD_FAILURE() << mutant << " was not shown";
  return false;
}

void audit(Judged& judged) {
  judged.run(own_elements(judged));
  ASSERT_TRUE(judge::values(judged.trial).empty());
  judge::sensitivity(judged.trial);
}

TEST(Regions, AMutantThatTouchesWhatIsKeptIsNoticed) {
  Contract contract = with_regions();
  contract.mutants = {{"neighbour_written", [](const Case&, const Tensors&, std::vector<RefTensor<double>>& outputs) {
                         outputs[0][1] = 5;
                       }}};
  Judged judged(kCase, contract);
  audit(judged);
  EXPECT_TRUE(is_noticed(judged, "neighbour_written"));
}

TEST(Regions, AMutantOfWhatNobodyComparesShowsNothing) {
  Contract contract = with_regions();
  contract.mutants = {{"unspecified_written", [](const Case&, const Tensors&, std::vector<RefTensor<double>>& outputs) {
                         outputs[0][39] = 5;
                       }}};
  Judged judged(kCase, contract);
  audit(judged);
  for (const auto& probe : judged.trial.row.sensitivity) EXPECT_NE(probe.mutant, "unspecified_written");
}

// A judge that is blind to y must not be saved by the kept elements that every mutant changes too.
TEST(Regions, KeptElementsDoNotHideABlindJudge) {
  Contract contract = with_regions();
  const auto tracked = contract.reference.tracked;
  contract.reference.tracked = [tracked](const Case& c, const Tensors& given) {
    auto results = tracked(c, given);
    for (Tracked& element : results[0].values) element.c = 1e30;
    return results;
  };
  Judged judged(kCase, contract);
  audit(judged);
  EXPECT_FALSE(is_noticed(judged, "sign_flipped:y"));
  EXPECT_TRUE(is_noticed(judged, "sign_flipped:total"));
}

// -- Counts.

TEST(Regions, CountsAreRightOrWrong) {
  Contract contract = judged_contract();
  contract.tensors.push_back({.name = "columns", .role = Role::output, .shape = {"rows"}, .dtype = DType::u64});
  contract.reference = reference_from([](auto& io) {
    triple_and_total(io);
    for (int64_t r = 0; r < io.dim("rows"); ++r)
      for (int64_t col = 0; col < io.dim("cols"); ++col) io.out("columns")[r] += 1;
  });
  for (const int64_t off : {0, 1, -1}) {
    Judged judged(kCase, contract);
    judged.run(judged.right_kernel());
    Tensor& columns = judged.trial.got.get("columns");
    columns.set_bits(3, columns.bits(3) + static_cast<uint64_t>(off));
    const Findings findings = judge::values(judged.trial);
    ASSERT_EQ(findings.empty(), off == 0) << off;
    if (off == 0) continue;
    EXPECT_THAT(findings[0].detail, HasSubstr("columns: 1 of 4 elements are wrong, the first at [3]: got "));
  }
}

}  // namespace
}  // namespace assay
