// Roofs as measured on a simulated GPU, which of them bounds a case, and which times are impossible.
#include "harness/bench/roofs.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "harness/bench/fake_gpu.h"
#include "harness/device/cuda/gemm_roof.h"
#include "harness/op/registry.h"
#include "harness/op/test_contract.h"

namespace assay {
namespace {

using testing::HasSubstr;

FakeGpu* gemm_gpu = nullptr;  // of the test that runs

struct RegisterGemms {
  RegisterGemms() {
    const auto takes_50_us = [](GpuRuntime&) -> Result<std::function<void()>> { return [] { gemm_gpu->spend(50); }; };
    register_gemm_roof({.name = "f32 GEMM", .flops = 1e9, .prepare = takes_50_us});
    register_gemm_roof({.name = "bf16 GEMM", .flops = 2e10, .prepare = takes_50_us});
    register_gemm_roof({.name = "c8 GEMM", .flops = 1, .prepare = [](GpuRuntime&) -> Result<std::function<void()>> {
                          return fail("libgemm.so is not there", "install it");
                        }});
  }
} const kRegisterGemms;

class MeasuredRoof : public testing::Test {
 protected:
  void SetUp() override {
    gemm_gpu = &gpu;
    gpu.copies = false;  // gigabytes, of which only the time is looked at
  }
  FakeGpu gpu;
  FakeRuntime runtime{gpu};
  FakeTimer timer{gpu, runtime};
};

TEST_F(MeasuredRoof, CopyAndEveryProductThatWorks) {
  gpu.memory_bytes = size_t{3} << 30;
  const MeasuredRoofs measured = measure_roofs(runtime, timer, {});
  ASSERT_EQ(measured.roofs.size(), 3U);
  EXPECT_EQ(measured.roofs[0].name, "copy");
  EXPECT_EQ(measured.roofs[0].unit, "TB/s");
  EXPECT_NEAR(measured.roofs[0].measured, 0.8, 1e-9) << "2 GiB move in a copy of 1 GiB";
  EXPECT_EQ(measured.roofs[0].physical, 1);
  EXPECT_EQ(measured.roofs[1].name, "bf16 GEMM");
  EXPECT_EQ(measured.roofs[1].unit, "TFLOP/s");
  EXPECT_NEAR(measured.roofs[1].measured, 400, 1e-6);
  EXPECT_EQ(measured.roofs[1].physical, 0);
  EXPECT_NEAR(measured.roofs[2].measured, 20, 1e-6);
  ASSERT_EQ(measured.missing.size(), 1U);
  EXPECT_EQ(measured.missing[0].line(), "roof c8 GEMM is not measured: libgemm.so is not there; install it");
  EXPECT_EQ(runtime.held_bytes(), 0U);
  EXPECT_TRUE(timer.cold);
}

TEST_F(MeasuredRoof, IsMissingWhereTheCopyDoesNotFit) {
  gpu.memory_bytes = size_t{1} << 30;
  const MeasuredRoofs measured = measure_roofs(runtime, timer, {});
  ASSERT_EQ(measured.missing.size(), 2U);
  EXPECT_THAT(measured.missing[0].what, HasSubstr("roof copy is not measured: no room for two buffers of 1 GiB"));
  EXPECT_EQ(measured.roofs[0].name, "bf16 GEMM") << "the others are measured all the same";
  EXPECT_EQ(runtime.held_bytes(), 0U);
}

TEST_F(MeasuredRoof, IsMissingOnAThrottledGpu) {
  gpu.sm_mhz = 500;
  const MeasuredRoofs measured = measure_roofs(runtime, timer, {.budget_s = 0.1});
  EXPECT_TRUE(measured.roofs.empty());
  EXPECT_THAT(measured.missing[0].what, HasSubstr("no sample was taken at the default clock"));
}

TEST(Cost, CountsWhatNoKernelGetsAround) {
  const Contract contract = test_contract();
  const Case c = *conforming("made_up/x bf16 S=4 H=6 HK=2 causal=0 init=zero fill=normal seed=0");
  const Cost cost = cost_of(contract, {.op = "made_up", .name = "x", .summary = ""}, c);
  const double q = 4 * 48 * 2, k = 4 * 16 * 2, ids = 4 * 4, out = 2 * 4 * 6 * 3 * 2, sum = 4, state = 2 * 2;
  EXPECT_EQ(cost.bytes, q + k + ids + out + 2 * sum + 2 * state);
  EXPECT_EQ(cost.bytes_read_least, q + k + ids + state) << "an accumulated tensor may be left alone";
  EXPECT_EQ(cost.bytes_written_least, out);
  EXPECT_EQ(cost.flops, 0) << "this contract does not say";
  EXPECT_EQ(cost.dtype, DType::bf16);
  EXPECT_FALSE(cost.reduced);
  EXPECT_TRUE(
      cost_of(contract, {.op = "made_up", .name = "x", .summary = "", .accumulate = Accumulate::f16}, c).reduced);
}

Roofs h200() {
  return {{.name = "copy", .unit = "TB/s", .measured = 4.31, .physical = 4.8},
          {.name = "bf16 GEMM", .unit = "TFLOP/s", .measured = 792, .physical = 0},
          {.name = "f32 GEMM", .unit = "TFLOP/s", .measured = 50, .physical = 67},
          {.name = "tf32 GEMM", .unit = "TFLOP/s", .measured = 410, .physical = 0}};
}

TEST(Bound, IsTheRoofThatTakesLonger) {
  const Bound memory = bound_of({.bytes = 4.31e9, .flops = 1e9, .dtype = DType::bf16}, h200());
  EXPECT_EQ(memory.roof, "copy 4.31 TB/s");
  EXPECT_NEAR(memory.time_us, 1000, 1e-9);
  const Bound arithmetic = bound_of({.bytes = 1e6, .flops = 792e9, .dtype = DType::bf16}, h200());
  EXPECT_EQ(arithmetic.roof, "bf16 GEMM 792 TFLOP/s");
  EXPECT_NEAR(arithmetic.time_us, 1000, 1e-9);
}

TEST(Bound, TakesTheProductOfTheDtype) {
  EXPECT_EQ(bound_of({.flops = 1e12, .dtype = DType::f16}, h200()).roof, "bf16 GEMM 792 TFLOP/s");
  EXPECT_EQ(bound_of({.flops = 1e12, .dtype = DType::f32}, h200()).roof, "f32 GEMM 50.0 TFLOP/s");
  EXPECT_EQ(bound_of({.flops = 1e12, .dtype = DType::f32, .reduced = true}, h200()).roof, "tf32 GEMM 410 TFLOP/s");
  Roofs own = h200();
  own.push_back({.name = "f16 GEMM", .unit = "TFLOP/s", .measured = 800, .physical = 0});
  EXPECT_EQ(bound_of({.flops = 1e12, .dtype = DType::f16}, own).roof, "f16 GEMM 800 TFLOP/s");
}

TEST(Bound, IsNoneWithoutRoofsOrWork) {
  EXPECT_EQ(bound_of({.bytes = 1e6, .flops = 1e9}, {}).roof, "");
  EXPECT_EQ(bound_of({}, h200()).roof, "");
  EXPECT_EQ(bound_of({.bytes = 1e6}, {{.name = "copy", .unit = "TB/s", .measured = 0, .physical = 1}}).roof, "");
}

constexpr double kL2 = 60e6;

bool is_impossible(double us, const Cost& cost, bool cold, const Roofs& roofs = h200()) {
  return impossible(us, cost, roofs, kL2, cold).has_value();
}

TEST(Impossible, AboveThePhysicalBandwidth) {
  // 480 MB read and 60 + 480 MB written: 960 MB at least pass 4.8 TB/s, in 200 us.
  const Cost cost{.bytes_read_least = 480e6, .bytes_written_least = 540e6};
  EXPECT_TRUE(is_impossible(199, cost, /*cold=*/true));
  EXPECT_FALSE(is_impossible(201, cost, /*cold=*/true));
  EXPECT_TRUE(is_impossible(186, cost, /*cold=*/false)) << "420 + 480 MB, whatever the cache held";
  EXPECT_FALSE(is_impossible(188, cost, /*cold=*/false));
  EXPECT_EQ(*impossible(150, cost, h200(), kL2, true),
            "150.000 us is less than the 200.000 us that 960 MB take at the memory's 4.80 TB/s");
}

TEST(Impossible, BeatingTheMeasuredCopyIsNot) {
  const Cost cost{.bytes_read_least = 480e6};
  EXPECT_FALSE(is_impossible(105, cost, true)) << "4.57 TB/s: above 4.31, below 4.8";
}

TEST(Impossible, NotWhatTheCacheMayHold) {
  EXPECT_FALSE(is_impossible(1, {.bytes_read_least = 50e6, .bytes_written_least = 50e6}, /*cold=*/false));
  EXPECT_FALSE(is_impossible(1, {.bytes_written_least = 50e6}, /*cold=*/true)) << "outputs may stay in the cache";
  EXPECT_TRUE(is_impossible(1, {.bytes_read_least = 50e6}, /*cold=*/true)) << "inputs come from memory";
}

TEST(Impossible, AboveThePhysicalRateOfArithmetic) {
  const Cost cost{.flops = 67e9, .dtype = DType::f32};  // 1000 us
  EXPECT_TRUE(is_impossible(999, cost, true));
  EXPECT_TRUE(is_impossible(999, cost, false));
  EXPECT_FALSE(is_impossible(1001, cost, true));
}

TEST(Impossible, FarAboveTheMeasuredRateWhereNoOtherIsKnown) {
  const Cost cost{.flops = 792e9, .dtype = DType::bf16};  // 1000 us at the measured rate
  EXPECT_FALSE(is_impossible(800, cost, true)) << "989 TFLOP/s, the datasheet's, is no lie";
  EXPECT_TRUE(is_impossible(660, cost, true));
  EXPECT_THAT(*impossible(660, cost, h200(), kL2, true), HasSubstr("1.5 times the bf16 GEMM's rate"));
}

TEST(Impossible, OnlyWhatIsKnownCounts) {
  const Roofs unknown = {{.name = "copy", .unit = "TB/s", .measured = 4, .physical = 0}};
  EXPECT_FALSE(is_impossible(1, {.bytes_read_least = 1e9, .flops = 1e15}, true, unknown));
}

TEST(Impossible, NoTimeAtAllIs) {
  EXPECT_TRUE(is_impossible(0, {}, true));
  EXPECT_TRUE(is_impossible(kNoTime, {}, true));
}

}  // namespace
}  // namespace assay
