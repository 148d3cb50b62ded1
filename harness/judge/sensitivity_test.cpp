// The sensitivity audit: a sighted judge notices every mutant, a blind one none, and what is no mutant is not counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/judge/mutants.h"
#include "harness/judge/test_trial.h"

namespace assay {
namespace {

using testing::Contains;
using testing::Not;

// "sign_flipped:y": the mutants that the audit showed the judge, and those of them that it noticed.
struct Audit {
  std::set<std::string> shown, noticed;
};

Audit audit_of(Judged& judged) {
  judged.run(judged.right_kernel());
  EXPECT_TRUE(judge::values(judged.trial).empty()) << "the audit follows a pass";
  judge::sensitivity(judged.trial);
  Audit audit;
  for (const auto& probe : judged.trial.row.sensitivity) {
    EXPECT_TRUE(audit.shown.insert(probe.mutant).second) << probe.mutant << " was shown twice";
    if (probe.noticed) audit.noticed.insert(probe.mutant);
  }
  return audit;
}

// Budgets that accept whatever is finite.
void make_blind(Contract& contract) {
  const auto tracked = contract.reference.tracked;
  contract.reference.tracked = [tracked](const Case& c, const Tensors& given) {
    auto results = tracked(c, given);
    for (auto& result : results)
      for (Tracked& element : result.values) element.c = 1e30;
    return results;
  };
}

// y is overwritten, so it has no initial values to lose; total is one row, so none of its rows can be stale.
std::set<std::string> mutants_that_differ() {
  std::set<std::string> names;
  for (const auto& mutant : judge::standard_mutants())
    for (const std::string tensor : {"y", "total"}) names.insert(std::string(mutant.name) + ":" + tensor);
  names.erase("initial_values_lost:y");
  names.erase("stale_row:total");
  return names;
}

struct Tested {
  std::string dtype, mutant;
};

std::vector<Tested> every_dtype_and_mutant() {
  std::vector<Tested> all;
  for (const char* dtype : {"f32", "bf16", "f16"})
    for (const std::string& mutant : mutants_that_differ()) all.push_back({dtype, mutant});
  return all;
}

std::string name_of(const testing::TestParamInfo<Tested>& tested) {
  std::string name = tested.param.dtype + "_" + tested.param.mutant;
  std::replace_if(
      name.begin(), name.end(), [](char ch) { return ch == ':' || ch == '.'; }, '_');
  return name;
}

class StandardMutants : public testing::TestWithParam<Tested> {};

INSTANTIATE_TEST_SUITE_P(All, StandardMutants, testing::ValuesIn(every_dtype_and_mutant()), name_of);

TEST_P(StandardMutants, NoticedByASightedJudgeAndNotByABlindOne) {
  const std::string params = GetParam().dtype + " rows=4 cols=40 init=random";
  Judged sighted(params);
  EXPECT_THAT(audit_of(sighted).noticed, Contains(GetParam().mutant));
  Contract blind_contract = judged_contract();
  make_blind(blind_contract);
  Judged blind(params, blind_contract);
  const Audit audit = audit_of(blind);
  EXPECT_THAT(audit.shown, Contains(GetParam().mutant));
  EXPECT_THAT(audit.noticed, Not(Contains(GetParam().mutant)));
}

TEST(Sensitivity, ShowsTheseMutantsAndNoOthers) {
  Judged judged;
  EXPECT_EQ(audit_of(judged).shown, mutants_that_differ());
}

// A mutant that does not differ from the right output shows nothing about the judge.
TEST(Sensitivity, LeavesOutMutantsThatAreRight) {
  Judged zero("f32 rows=4 cols=40 init=zero");
  EXPECT_THAT(audit_of(zero).shown, Not(Contains("initial_values_lost:total")));
  Judged one_row("f32 rows=1 cols=40 init=random");
  EXPECT_THAT(audit_of(one_row).shown, Not(Contains("stale_row:y")));
  Judged exact("f32 rows=4 cols=40 init=random", [] {
    Contract contract = judged_contract();
    contract.tensors[0].make = [](const Case&, Rng&, Tensor& x) {
      for (int64_t i = 0; i < x.count(); ++i) x.set(i, 1);
    };
    return contract;
  }());
  const Audit audit = audit_of(exact);
  EXPECT_THAT(audit.shown, Not(Contains("rounded_lower:y")));  // 3 has few enough bits
  EXPECT_THAT(audit.shown, Not(Contains("stale_row:y")));      // all rows are the same
  EXPECT_THAT(audit.shown, Contains("sign_flipped:y"));
}

// A kernel that declares f16 declares that it keeps 11 bits.
TEST(Sensitivity, LeavesOutMutantsThatAreWhatTheVariantDeclares) {
  Variant in_f16;
  in_f16.accumulate = Accumulate::f16;
  const std::string params = "f32 rows=4 cols=40 init=random";
  {
    Judged plain(params);
    EXPECT_THAT(audit_of(plain).shown, Contains("rounded_lower:y"));
  }
  {
    Judged declared(params, judged_contract(), in_f16);  // its precision is the thread's as long as it lives
    const Audit audit = audit_of(declared);
    EXPECT_THAT(audit.shown, Not(Contains("rounded_lower:y")));
    EXPECT_THAT(audit.noticed, Contains("sign_flipped:y"));
  }
  Contract exact = judged_contract();  // to f32, whose error is all that noise is made of
  exact.tensors[0].make = [](const Case&, Rng&, Tensor& x) {
    for (int64_t i = 0; i < x.count(); ++i) x.set(i, 2049);
  };
  Judged declared(params, exact, in_f16);
  EXPECT_THAT(audit_of(declared).shown, Not(Contains("rounded_lower:y")));
}

// 1e8 in between leaves of x what f32's rounding makes of it: its sign does not stand out from noise.
TEST(Sensitivity, LeavesOutMutantsWithinTheNoiseOfPlainF32) {
  const auto contract_with = [](double between) {
    Contract contract = judged_contract();
    contract.reference = reference_from([between](auto& io) {
      using Scalar = std::decay_t<decltype(io.out("y")[0])>;
      for (int64_t i = 0; i < std::ssize(io.in("x").values); ++i)
        io.out("y")[i] = (io.in("x")[i] + Scalar(static_cast<float>(between))) - Scalar(static_cast<float>(between));
    });
    return contract;
  };
  Judged noisy("f32 rows=4 cols=40 init=zero", contract_with(1e8)),
      clean("f32 rows=4 cols=40 init=zero", contract_with(1));
  EXPECT_THAT(audit_of(noisy).shown, Not(Contains("sign_flipped:y")));
  EXPECT_THAT(audit_of(clean).noticed, Contains("sign_flipped:y"));
}

// An op's own mutants count as the standard ones do: by any element of any tensor that is wrong.
TEST(Sensitivity, ShowsTheContractsMutants) {
  const auto with_mutants = [](bool blind) {
    Contract contract = judged_contract();
    contract.mutants = {
        {.name = "last_column_left_out",
         .mutate =
             [](const Case& c, const Tensors& given, auto& outputs) {
               const int64_t rows = c.dim("rows"), cols = c.dim("cols");
               for (int64_t r = 0; r < rows; ++r) outputs[1][r] -= given.get("x").at(r * cols + cols - 1);
             }},
        {.name = "nothing_wrong", .mutate = [](const Case&, const Tensors&, auto&) {}},
    };
    if (blind) make_blind(contract);
    return contract;
  };
  Judged sighted("f32 rows=4 cols=40 init=random", with_mutants(false)),
      blind("f32 rows=4 cols=40 init=random", with_mutants(true));
  const Audit seen = audit_of(sighted), unseen = audit_of(blind);
  EXPECT_THAT(seen.noticed, Contains("last_column_left_out"));
  EXPECT_THAT(seen.shown, Not(Contains("nothing_wrong")));
  EXPECT_THAT(unseen.shown, Contains("last_column_left_out"));
  EXPECT_TRUE(unseen.noticed.empty());
}

// A result that rounds to the right element is right, however small the noise is.
TEST(Sensitivity, LeavesOutMutantsThatRoundToTheRightElement) {
  const auto shown_with = [](double factor) {
    Contract contract = judged_contract();
    contract.tensors[0].make = [](const Case&, Rng&, Tensor& x) {
      for (int64_t i = 0; i < x.count(); ++i) x.set(i, 1);
    };
    contract.mutants = {{.name = "scaled", .mutate = [factor](const Case&, const Tensors&, auto& outputs) {
                           for (double& value : outputs[0].values) value *= factor;
                         }}};
    Judged judged("bf16 rows=4 cols=40 init=zero", contract);
    return audit_of(judged).shown;
  };
  EXPECT_THAT(shown_with(1 + 0x1p-12), Not(Contains("scaled")));
  EXPECT_THAT(shown_with(1 + 0x1p-5), Contains("scaled"));
}

// Elements that the reference left out cannot be wrong.
TEST(Sensitivity, LeavesOutUnknownElements) {
  Judged judged;
  judged.run(judged.right_kernel());
  judge::values(judged.trial);
  for (auto& want : judged.trial.expected)
    for (double& budget : want.budget) budget = std::numeric_limits<double>::infinity();
  judge::sensitivity(judged.trial);
  EXPECT_TRUE(judged.trial.row.sensitivity.empty());
}

}  // namespace
}  // namespace assay
