// A judge that accepts too much is MISTRUSTED: from budgets made too wide, over runs of a right kernel, to the row that
// fails the check. The same runs with the budgets as they are pass.
#include <gtest/gtest.h>

#include <set>

#include "harness/judge/test_trial.h"
#include "harness/report/audit.h"

namespace assay {
namespace {

constexpr int kCases = 20;

// Every budget widened by the part `of_value` of the value that it belongs to.
Contract widened(double of_value) {
  Contract contract = judged_contract();
  const auto tracked = contract.reference.tracked;
  contract.reference.tracked = [=](const Case& c, const Tensors& given) {
    auto results = tracked(c, given);
    for (auto& result : results)
      for (Tracked& element : result.values) element.c += of_value * std::fabs(element.v) / kBudgetFactor;
    return results;
  };
  return contract;
}

std::vector<ResultRow> rows_of(const Contract& contract, const std::string& dtype) {
  std::vector<ResultRow> rows;
  for (int i = 0; i < kCases; ++i) {
    Judged judged(dtype + " rows=" + std::to_string(2 + i) + " cols=40 init=random", contract);
    judged.run(judged.right_kernel());
    EXPECT_TRUE(judge::values(judged.trial).empty());
    judge::sensitivity(judged.trial);
    rows.push_back(std::move(judged.trial).conclude({}));
  }
  return rows;
}

// The mutants of y to which an audit of such a judge finds it blind.
std::set<std::string> mistrusted_for(double of_value, const std::string& dtype) {
  const std::vector<ResultRow> rows = rows_of(widened(of_value), dtype);
  std::set<std::string> mutants;
  for (const AuditEntry& entry : audit(rows))
    if (entry.mistrusted() && entry.mutant.ends_with(":y")) mutants.insert(entry.mutant);
  for (const ResultRow& row : mistrusted_rows(rows)) EXPECT_EQ(row.verdict, Kind::mistrusted);
  EXPECT_GE(mistrusted_rows(rows).size(), mutants.size());
  return mutants;
}

using Names = std::set<std::string>;
const Names kAll = {"nothing_added:y", "sign_flipped:y",   "scaled_by_1.02:y",
                    "stale_row:y",     "last_tile_zero:y", "rounded_lower:y"};

TEST(BlindJudge, IsMistrustedForWhatItAccepts) {
  for (const std::string dtype : {"f32", "bf16", "f16"}) {
    EXPECT_EQ(mistrusted_for(0, dtype), Names()) << dtype;
    EXPECT_EQ(mistrusted_for(0.5, dtype), Names({"scaled_by_1.02:y", "rounded_lower:y"})) << dtype;
    EXPECT_EQ(mistrusted_for(1e6, dtype), kAll) << dtype;
  }
  EXPECT_EQ(mistrusted_for(0.001, "f32"), Names({"rounded_lower:y"}));
  EXPECT_EQ(mistrusted_for(0.001, "bf16"), Names()) << "a bfloat16 is coarser than that";
}

}  // namespace
}  // namespace assay
