// Tests that a judge that accepts too much is MISTRUSTED: from budgets made too wide, over runs of a right kernel, to
// the row that fails the check. The same runs with the budgets as they are pass.
#include <gtest/gtest.h>

#include <set>

#include "harness/judge/test_trial.h"
#include "harness/op/registry.h"
#include "harness/op/test_composite.h"
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

// The test's composite with a product that accepts errors of this part of its results.
double g_accepted_by_product = 0;

void register_blind_block() {
  Contract product = *find_op("gemm");
  const auto tracked = product.reference.tracked;
  product.name = "accepting_gemm";
  product.reference.tracked = [tracked](const Case& c, const Tensors& given) {
    auto results = tracked(c, given);
    for (auto& result : results)
      for (Tracked& element : result.values) element.c += g_accepted_by_product * std::fabs(element.v) / kBudgetFactor;
    return results;
  };
  Variant kernel = *find_variant("gemm", "shared_tile", "cpu");
  kernel.op = product.name;
  register_variant(kernel);
  static const RegisterOp kProduct(product);

  Contract block = test_composite();
  block.name = "blind_block";
  block.steps[1].op = product.name;
  static const RegisterOp kBlock(composite(block));
  register_variant({.op = block.name,
                    .name = "plain",
                    .summary = "for tests",
                    .dtypes = {DType::f32},
                    .steps = {{"norm", "block_per_row"}, {"project", "shared_tile"}, {"join", "elementwise"}},
                    .device = "cpu"});
}

std::set<std::string> mistrusted_of_blind_block(double accepted) {
  g_accepted_by_product = accepted;
  const auto device = make_device("cpu");
  std::vector<ResultRow> rows;
  for (int i = 0; i < kCases; ++i) {
    const auto c = read_case(fmt::format("blind_block/plain f32 T={} aE=33 eps=1e-5 fill=normal seed={}", 2 + i, i));
    rows.push_back(run_case(*c, *find_variant(c->op, c->variant, "cpu"), **device));
    EXPECT_EQ(rows.back().verdict, Kind::pass) << rows.back().detail;
  }
  std::set<std::string> mutants;
  for (const AuditEntry& entry : audit(rows))
    if (entry.mistrusted()) mutants.insert(entry.mutant);
  return mutants;
}

// A step's judge is blind to the mutants that it accepts, and no other judge sees them; the same holds for the whole's.
TEST(BlindJudge, OfAStepIsMistrustedInItsComposite) {
  register_blind_block();
  EXPECT_EQ(mistrusted_of_blind_block(0), Names());
  EXPECT_EQ(mistrusted_of_blind_block(0.001), Names({"project.rounded_lower:c"}));
  EXPECT_EQ(mistrusted_of_blind_block(0.5), Names({"project.rounded_lower:c", "project.scaled_by_1.02:c"}));
  const Names all = mistrusted_of_blind_block(1e6);
  for (const char* coarse : {"sign_flipped:y", "nothing_added:y", "project.sign_flipped:c", "project.stale_row:c"})
    EXPECT_TRUE(all.contains(coarse)) << coarse;
  EXPECT_FALSE(all.contains("join.rounded_lower:out")) << "that step's judge is as sharp as it was";
}

}  // namespace
}  // namespace assay
