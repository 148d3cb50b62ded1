// A composite's steps are judged one by one on both devices of the executor, and a wrong one is named.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <cstdint>
#include <tuple>

#include "harness/judge/judge.h"
#include "harness/op/registry.h"
#include "harness/op/test_composite.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// `right` of an op with something done to its tensors after, on the host; or nothing done at all.
void plant(const char* op, const char* right, const char* name, const char* device, void (*harm)(Call&)) {
  Variant variant = *find_variant(op, right, device);
  variant.name = name;
  variant.run = [run = variant.run, harm](Call& call) {
    if (!harm) return;
    run(call);
    harm(call);
  };
  register_variant(variant);
}

struct Registered {
  Registered() {
    static const RegisterOp kOp(test_composite());
    for (const char* device : {"cpu", kCheckedDevice}) {
      plant("rms_norm_forward", "block_per_row", "y_off_by_one", device, [](Call& call) { ++*call.out<float>("y"); });
      plant("gemm", "shared_tile", "c_off_by_one", device, [](Call& call) { ++*call.out<float>("c"); });
      plant("residual_add", "elementwise", "out_off_by_one", device, [](Call& call) { ++*call.out<float>("out"); });
      plant("gemm", "shared_tile", "writes_b", device, [](Call& call) { ++*call.out<float>("b"); });
      plant("gemm", "shared_tile", "does_nothing", device, nullptr);
      register_variant({.op = "residual_block",
                        .name = "plain",
                        .summary = "for tests",
                        .dtypes = {DType::f32, DType::bf16},
                        .steps = {{"norm", "block_per_row"}, {"project", "shared_tile"}, {"join", "elementwise"}},
                        .device = device});
      register_variant(
          {.op = "residual_block",
           .name = "fast",
           .summary = "for tests",
           .dtypes = {DType::f32},
           .steps = {{"norm", "row_in_registers"}, {"project", "register_blocks"}, {"join", "vector_packs"}},
           .device = device});
    }
  }
};

class Steps : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { static const Registered registered; }

  static ResultRow row_of(const std::string& words) {
    const auto c = read_case("residual_block/" + words);
    EXPECT_TRUE(c) << c.error().line();
    const auto device = make_device(GetParam());
    return run_case(*c, *find_variant(c->op, c->variant, GetParam()), **device);
  }
};

INSTANTIATE_TEST_SUITE_P(Composite, Steps, testing::Values("cpu", kCheckedDevice),
                         [](const auto& device) { return std::string(device.param) == "cpu" ? "fast" : "checked"; });

TEST_P(Steps, RightOnesPass) {
  double largest = 0;
  for (const char* fill : {"normal", "uniform", "integers", "ties", "cancelling"})
    for (const char* begin : {"plain f32", "fast f32", "plain bf16"})
      for (const char* size : {"T=0 aE=3", "T=1 aE=1", "T=5 aE=33", "T=9 aE=64"}) {
        const ResultRow row = row_of(fmt::format("{} {} eps=1e-5 fill={} seed=3 schedule=5", begin, size, fill));
        EXPECT_EQ(row.verdict, Kind::pass) << row.line() << ": " << row.detail;
        largest = std::max(largest, row.figures["error_over_budget"]);
        EXPECT_TRUE(row.c.dim("T") <= 1 || !row.sensitivity.empty()) << row.line();
      }
  EXPECT_GT(largest, 0.02);
}

TEST_P(Steps, AWrongOneIsNamed) {
  const std::string words = "plain f32 T=2 aE=3 eps=1e-5 fill=normal seed=3 steps=";
  for (const auto& [step, variant, tensor] : {std::tuple("norm", "rms_norm_forward/y_off_by_one", "y"),
                                              {"project", "gemm/c_off_by_one", "c"},
                                              {"join", "residual_add/out_off_by_one", "out"}}) {
    const std::string choice = std::string(variant).substr(std::string(variant).find('/') + 1);
    const ResultRow row = row_of(words + step + ":" + choice);
    EXPECT_EQ(row.verdict, Kind::mismatch);
    EXPECT_THAT(row.detail,
                StartsWith(fmt::format("step {} ({}): {}: 1 of 6 elements are wrong", step, variant, tensor)));
    ASSERT_EQ(row.worst.size(), 1u);
    EXPECT_EQ(row.worst[0].tensor, fmt::format("{}.{}", step, tensor));
    EXPECT_EQ(row.findings[0].subject, fmt::format("{}.{}", step, tensor));
  }
}

TEST_P(Steps, TheFirstWrongOneIsNamed) {
  const ResultRow row =
      row_of("plain f32 T=2 aE=3 eps=1e-5 fill=normal seed=3 steps=join:out_off_by_one,norm:y_off_by_one");
  EXPECT_THAT(row.detail, AllOf(StartsWith("step norm (rms_norm_forward/y_off_by_one)"), Not(HasSubstr("join"))));
}

TEST_P(Steps, WhatOneDoesToItsInputsIsItsOwnFinding) {
  const ResultRow row = row_of("plain f32 T=2 aE=3 eps=1e-5 fill=normal seed=3 steps=project:writes_b");
  EXPECT_EQ(row.verdict, Kind::input_changed);
  EXPECT_THAT(row.detail, StartsWith("step project (gemm/writes_b): input b[0,0] was"));
}

TEST_P(Steps, WhatOneLeavesUnwrittenIsItsOwnFinding) {
  const ResultRow row = row_of("plain f32 T=2 aE=3 eps=1e-5 fill=normal seed=3 steps=project:does_nothing");
  EXPECT_EQ(row.verdict, Kind::unwritten);
  EXPECT_THAT(row.detail,
              StartsWith("step project (gemm/does_nothing): 6 of 6 elements of output c were never written"));
}

TEST_P(Steps, AVariantThatAStepCannotRunIsUnsupported) {
  const ResultRow missing = row_of("plain f32 T=2 aE=3 eps=1e-5 fill=normal seed=3 steps=project:shared_tiles");
  EXPECT_EQ(missing.verdict, Kind::unsupported);
  EXPECT_THAT(missing.detail, AllOf(StartsWith("its step project (gemm): gemm has no variant 'shared_tiles' for cpu"),
                                    HasSubstr("did you mean 'shared_tile'?")));
  const ResultRow dtype = row_of("plain bf16 T=2 aE=3 eps=1e-5 fill=normal seed=3 steps=project:register_blocks");
  EXPECT_THAT(dtype.detail, HasSubstr("its step project (gemm): register_blocks has no kernel for bf16"));
}

// Steps that are each right, and a composite that means something else: it joins no residual.
TEST_P(Steps, TheWholeIsJudgedToo) {
  const auto c = read_case("residual_block/plain f32 T=2 aE=3 eps=1e-5 fill=normal seed=3");
  Contract other = test_composite();
  other.steps[2].tensors[0].of_whole = "p";
  const Variant& variant = *find_variant("residual_block", "plain", GetParam());
  const auto device = make_device(GetParam());
  Trial trial(other, variant, *c);
  const Findings findings = judge_steps(trial, **device, {});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, Kind::mismatch);
  EXPECT_THAT(findings[0].detail, StartsWith("y: 6 of 6 elements are wrong"));
}

}  // namespace
}  // namespace assay
