// Tests what a list of steps gives: one reference, one constraint, and mistakes that are named.
#include "harness/op/composite.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "harness/op/contract_check.h"
#include "harness/op/registry.h"
#include "harness/op/test_composite.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const RegisterOp kOp(test_composite());  // the tests of every op ask it, too

Case case_of(const std::string& words = "f32 T=3 aE=5 eps=1e-3 fill=normal seed=4") {
  const std::string line = "residual_block/chosen " + words;
  return *conform(test_composite(), *parse_case(line), line);
}

std::vector<std::string> mistakes_of_composite(const std::function<void(Contract&)>& change) {
  Contract contract = test_composite();
  change(contract);
  return contract_mistakes(composite(contract));
}

TEST(Composite, ItsReferenceIsItsStepsOneAfterTheOther) {
  const Case c = case_of();
  const Tensors given = make_tensors(test_composite(), c);
  const auto results = test_composite().reference.value(c, given);
  ASSERT_EQ(results.size(), 1u);
  const Tensor &x = given.get("x"), &gamma = given.get("gamma"), &w = given.get("w");
  for (int64_t t = 0; t < 3; ++t)
    for (int64_t e = 0; e < 5; ++e) {
      double squares = 0, product = 0;
      for (int64_t d = 0; d < 5; ++d) squares += x.at(t * 5 + d) * x.at(t * 5 + d);
      const double rstd = 1 / std::sqrt(squares / 5 + static_cast<double>(1e-3f));
      for (int64_t d = 0; d < 5; ++d) product += x.at(t * 5 + d) * rstd * gamma.at(d) * w.at(e * 5 + d);
      EXPECT_NEAR(results[0](t, e), x.at(t * 5 + e) + product, 1e-12);
    }
}

// The error of one step of coarse arithmetic, or of one that stores 16 bits, is in the budget of the whole.
TEST(Composite, ErrorsOfAStepReachTheEnd) {
  const auto spread_of = [](const Case& c, const AroundStep& around) {
    const Contract contract = test_composite();
    return run_references<Tracked>(contract.steps, c, make_tensors(contract, c), around)[0][0].spread();
  };
  const Case c = case_of();
  const double plain = spread_of(c, nullptr);
  const double coarse = spread_of(c, [](const Step& step, const Case&, const std::function<void()>& run) {
    const TrackedPrecision precision({.unit = step.name == "norm" ? 0x1p-12 : 0x1p-24});
    run();
  });
  EXPECT_GT(plain, 0);
  EXPECT_GT(coarse, 100 * plain);
  EXPECT_GT(spread_of(case_of("bf16 T=3 aE=5 eps=1e-3 fill=normal seed=4"), nullptr), 1000 * plain);
}

TEST(Composite, AStepHasTheCasesOfItsOp) {
  const Case c = case_of();
  EXPECT_EQ(print(case_of_step(test_composite().steps[1], c)),
            "gemm/reference f32 M=3 N=5 K=5 layout=nt bias=0 out=same accumulate=0 alpha=1 beta=1 fill=normal seed=4 "
            "schedule=0");
  EXPECT_EQ(print(case_of_step({.name = "s", .op = "transpose_2d", .params = {{"rows", "T*aE*2"}, {"cols", "7"}}}, c)),
            "transpose_2d/reference f32 rows=30 cols=7 fill=normal seed=4 schedule=0");
  const Case moved = case_of("f32 T=3 aE=5 eps=1e-3 fill=normal seed=4 offset=w:3");
  EXPECT_EQ(case_of_step(test_composite().steps[1], moved).offset, (Offset{3, "b"}));
  EXPECT_EQ(case_of_step(test_composite().steps[0], moved).offset, std::nullopt);
}

TEST(Composite, WhatAStepRefusesItRefusesAndNamesTheStep) {
  Contract contract = test_composite();
  contract.steps[0].params = {{"pad", "aE"}};
  const auto refused = composite(contract).constraint(case_of());
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->line(), HasSubstr("its step norm (rms_norm_forward) refuses it: a row of aE=5 elements"));
}

TEST(Composite, ChoicesAreOfStepsThatItHas) {
  const std::string line = "residual_block/chosen f32 T=3 aE=5 eps=1e-3 fill=normal seed=4 steps=norms:x schedule=0";
  const auto refused = conform(test_composite(), *parse_case(line), line);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().line(), testing::AllOf(HasSubstr(">>steps=norms:x<<"), HasSubstr("no step 'norms'"),
                                                     HasSubstr("norm, project, join")));
}

TEST(Composite, MistakesInItsListAreNamed) {
  EXPECT_THAT(contract_mistakes(test_composite()), IsEmpty());
  EXPECT_THAT(mistakes_of_composite([](Contract& c) { c.steps[0].op = "nothing"; }),
              ElementsAre("step 'norm' is of the op 'nothing', which is not there"));
  EXPECT_THAT(mistakes_of_composite([](Contract& c) { c.steps[1].params.erase(c.steps[1].params.begin()); }),
              ElementsAre("step 'project' gives gemm no 'M': bind it in `params`"));
  EXPECT_THAT(mistakes_of_composite([](Contract& c) { c.steps[1].params[3].of_whole = "tt"; }),
              ElementsAre("step 'project' gives gemm layout=tt, which is none of its values"));
  EXPECT_THAT(mistakes_of_composite([](Contract& c) { c.steps[2].tensors[0].of_step = "z"; }),
              ElementsAre("step 'join' binds 'z', and residual_add has no such tensor"));
  EXPECT_THAT(mistakes_of_composite([](Contract& c) { c.steps[1].name = "norm"; }),
              ElementsAre("two steps are named 'norm'"));
  EXPECT_THAT(mistakes_of_composite([](Contract& c) { std::swap(c.steps[0], c.steps[1]); }),
              ElementsAre(HasSubstr("step 'project' takes 'n', which nothing has made")));
  EXPECT_THAT(mistakes_of_composite([](Contract& c) {
                c.tensors[2].shape = {"aE", "T"};
              }),
              ElementsAre(HasSubstr("step 'project' takes 'w' as 1 elements of f32, and it has 0 elements")));
  EXPECT_THAT(mistakes_of_composite([](Contract& c) { c.steps[2].applies = [](const Case&) { return false; }; }),
              ElementsAre(HasSubstr("no step makes 'y'")));
}

}  // namespace
}  // namespace assay
