// Roofs as measured on a simulated GPU, which of them bounds a case, and which times are impossible.
#include "harness/bench/roofs.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "harness/bench/test_fake_gpu.h"
#include "harness/device/cuda/gemm_roof.h"
#include "harness/op/registry.h"
#include "harness/op/test_contract.h"

namespace assay {
namespace {

using testing::HasSubstr;

FakeGpu* gemm_gpu = nullptr;  // of the test that runs

struct RegisterGemms {
  RegisterGemms() {
    const auto candidate = [](const char* means, double us) {
      return RoofCandidate{means, [us] { gemm_gpu->spend(us); }};
    };
    const auto takes_50_us = [candidate](GpuRuntime&) -> Result<std::vector<RoofCandidate>> {
      return std::vector{candidate("the first", 70), candidate("the second", 50), candidate("the third", 60)};
    };
    register_gemm_roof({.name = "f32 GEMM", .flops = 1e9, .prepare = takes_50_us});
    register_gemm_roof({.name = "bf16 GEMM", .flops = 2e10, .prepare = takes_50_us});
    register_gemm_roof(
        {.name = "c8 GEMM", .flops = 1, .prepare = [](GpuRuntime&) -> Result<std::vector<RoofCandidate>> {
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

TEST_F(MeasuredRoof, MemoryAndEveryProductThatWorks) {
  gpu.memory_bytes = size_t{3} << 30;
  const MeasuredRoofs measured = measure_roofs(runtime, timer, {});
  std::vector<std::string> names;
  for (const Roof& roof : measured.roofs) names.push_back(roof.name);
  ASSERT_THAT(names, testing::ElementsAre("copy", "read", "write", "bf16 GEMM", "f32 GEMM", "empty region"));
  EXPECT_EQ(measured.roofs[0].unit, "TB/s");
  EXPECT_NEAR(measured.roofs[0].measured, 0.8, 1e-9) << "2 GiB move in a copy of 1 GiB";
  EXPECT_EQ(measured.roofs[0].physical, 1);
  EXPECT_NEAR(measured.roofs[1].measured, 0.9, 1e-9);
  EXPECT_NEAR(measured.roofs[2].measured, 0.6, 1e-9);
  EXPECT_EQ(measured.roofs[3].unit, "TFLOP/s");
  EXPECT_NEAR(measured.roofs[3].measured, 400, 1e-6) << "the fastest of three candidates";
  EXPECT_EQ(measured.roofs[3].means, "the second");
  EXPECT_EQ(measured.roofs[3].physical, 0);
  EXPECT_NEAR(measured.roofs[4].measured, 20, 1e-6);
  EXPECT_EQ(measured.roofs[5].unit, "us");
  EXPECT_NEAR(measured.roofs[5].measured, 2, 1e-9);
  ASSERT_EQ(measured.missing.size(), 1U);
  EXPECT_EQ(measured.missing[0].line(), "roof c8 GEMM is not measured: libgemm.so is not there; install it");
  EXPECT_EQ(runtime.held_bytes(), 0U);
  EXPECT_TRUE(timer.cold);
}

// Which means is fastest depends on the GPU and its driver, and the roof names it.
TEST_F(MeasuredRoof, TheFastestMeansIsTheRoof) {
  gpu.memory_bytes = size_t{3} << 30;
  const auto roof = [&](size_t i) {
    return measure_roofs(runtime, timer, {.budget_s = 0.1, .max_samples = 20, .warm_up_s = 0}).roofs.at(i);
  };
  const auto copy = [&] { return roof(0); };
  EXPECT_THAT(copy().means, testing::MatchesRegex("cudaMemcpyAsync in a graph, (256|64) MiB a node"))
      << "the simulated GPU copies large nodes at half speed";
  EXPECT_EQ(roof(2).means, "a kernel of 16-byte accesses");
  gpu.set_bytes_per_s = 0.7e12;
  EXPECT_EQ(roof(2).means, "cudaMemsetAsync");
  gpu.kernel_bytes_per_s = 0.85e12;
  EXPECT_EQ(copy().means, "a kernel of 16-byte accesses");
  EXPECT_NEAR(copy().measured, 0.85, 1e-9);
  gpu.large_copy_bytes_per_s = 0.9e12;
  EXPECT_EQ(copy().means, "cudaMemcpyAsync in a graph, 1024 MiB a node");
  gpu.without_graph = 0.5;
  EXPECT_EQ(copy().means, "cudaMemcpyAsync");
  EXPECT_NEAR(copy().measured, 1.8, 1e-9);
}

TEST_F(MeasuredRoof, IsMissingWhereTheCopyDoesNotFit) {
  gpu.memory_bytes = size_t{1} << 30;
  const MeasuredRoofs measured = measure_roofs(runtime, timer, {});
  ASSERT_EQ(measured.missing.size(), 4U) << "copy, read, write, and a product";
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
  EXPECT_EQ(cost.bytes_written, out + sum + state) << "as often as an element is written";
  EXPECT_EQ(cost.flops, 0) << "this contract does not say";
  EXPECT_EQ(cost.dtype, DType::bf16);
  EXPECT_FALSE(cost.reduced);
  EXPECT_TRUE(
      cost_of(contract, {.op = "made_up", .name = "x", .summary = "", .accumulate = Accumulate::f16}, c).reduced);
  Case in_f32 = c;
  in_f32.dtype = DType::f32;
  const Variant multiplies_bf16{.op = "made_up", .name = "x", .summary = "", .accumulate = Accumulate::bf16_operands};
  EXPECT_EQ(cost_of(contract, multiplies_bf16, in_f32).dtype, DType::bf16) << "its roof is that of bf16's products";
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

TEST(Bound, OfWhatIsNearlyAllReadIsTheRateOfReading) {
  Roofs roofs = h200();
  roofs.push_back({.name = "read", .unit = "TB/s", .measured = 4.5, .physical = 4.8});
  roofs.push_back({.name = "write", .unit = "TB/s", .measured = 4, .physical = 4.8});
  const auto roof_of = [](double written, const Roofs& known) {
    return bound_of({.bytes = 1e9, .bytes_written = written * 1e9}, known).roof;
  };
  EXPECT_EQ(roof_of(0.05, roofs), "read 4.50 TB/s");
  EXPECT_EQ(roof_of(0.3, roofs), "copy 4.31 TB/s");
  EXPECT_EQ(roof_of(0.95, roofs), "write 4.00 TB/s");
  EXPECT_EQ(roof_of(0.05, h200()), "copy 4.31 TB/s") << "where only that was measured";
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
