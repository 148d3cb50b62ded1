// Bounds of counts, by hand.
#include "harness/bench/counted_bound.h"

#include <gmock/gmock.h>

#include <cmath>

namespace assay {
namespace {

const GpuModel& h100() { return gpu_model("h100"); }

KernelCounts kernel(int64_t blocks) {
  KernelCounts counts;
  counts.kernel = "k";
  counts.launches = 1;
  counts.blocks = blocks;
  return counts;
}

double ceiling(const CountedBound& bound, const std::string& of) {
  for (const Ceiling& each : bound.ceilings)
    if (each.of == of) return each.us;
  return std::nan("");
}

TEST(CountedBound, IsTheSlowestCeiling) {
  AccessStatistics run;
  run.compulsory_bytes = 3'350'000;  // a microsecond of an H100's memory
  run.kernels.push_back(kernel(1000));
  InstructionCounts& counts = run.kernels[0].instructions;
  counts[Counted::fp32] = int64_t{4} * 132 * 1980 * 3;  // 128 lanes in a clock are four warps: 3 us
  counts[Counted::special] = 132 * 1980;                // 16 lanes in a clock: 2 us
  counts[Counted::global] = 132 * 1980;                 // one warp's access in a clock: 1 us
  counts[Counted::integer] = int64_t{1} << 50;          // bounds nothing
  counts[Counted::move] = counts[Counted::conversion] = counts[Counted::control] = int64_t{1} << 50;
  run.kernels[0].total.bank_passes = int64_t{132} * 1980 * 5 / 2;
  const CountedBound bound = counted_bound(run, h100());
  EXPECT_NEAR(bound.us, 3.5, 1e-9) << "the slots";
  EXPECT_EQ(bound.ceilings[0].of, "issue");
  EXPECT_NEAR(ceiling(bound, "issue"), 3 + 0.25 + 0.25, 1e-9);
  EXPECT_NEAR(ceiling(bound, "fp32"), 3, 1e-9);
  EXPECT_NEAR(ceiling(bound, "special"), 2, 1e-9);
  EXPECT_NEAR(ceiling(bound, "load/store"), 1, 1e-9);
  EXPECT_NEAR(ceiling(bound, "shared"), 2.5, 1e-9);
  EXPECT_NEAR(ceiling(bound, "dram"), 1, 1e-9);
  EXPECT_EQ(bound.ceilings.size(), 6u);
  EXPECT_NEAR(ceiling(counted_bound(run, gpu_model("h200")), "dram"), 3.35 / 4.8, 1e-9);
  EXPECT_NEAR(ceiling(counted_bound(run, gpu_model("a100")), "fp32"), 6 * 132 * 1980.0 / (108 * 1410), 1e-9);
}

TEST(CountedBound, BlocksFillNoMoreMultiprocessorsThanThereAreOfThem) {
  AccessStatistics run;
  run.kernels.push_back(kernel(2));
  run.kernels[0].instructions[Counted::fp64] = 2 * 4 * 1980;  // each multiprocessor two in a clock: 2 us
  EXPECT_NEAR(counted_bound(run, h100()).us, 2, 1e-9);
}

TEST(CountedBound, KernelsRunOneAfterTheOther) {
  AccessStatistics run;
  for (const Counted of : {Counted::special, Counted::shuffle}) {
    run.kernels.push_back(kernel(132));
    run.kernels.back().instructions[of] = 132 * 1980;
  }
  EXPECT_NEAR(counted_bound(run, h100()).us, 2 + 1, 1e-9);
  run.compulsory_bytes = 33'500'000;
  EXPECT_NEAR(counted_bound(run, h100()).us, 10, 1e-9) << "memory is busy in all of them";
}

TEST(CountedBound, TensorInstructionsAreOperations) {
  AccessStatistics run;
  run.kernels.push_back(kernel(132));
  run.kernels[0].instructions[Counted::tensor] = 132 * 1980;  // of 4096 operations, one clock's work
  run.kernels[0].instructions[Counted::tensor_f16] = int64_t{4096} * 132 * 1980;
  const CountedBound bound = counted_bound(run, h100());
  EXPECT_NEAR(ceiling(bound, "tensor_f16"), 1, 1e-9);
  EXPECT_NEAR(ceiling(bound, "issue"), 0.25, 1e-9);
}

TEST(CountedBound, NothingWhereNotEverythingWasCounted) {
  AccessStatistics run;
  run.compulsory_bytes = 1000;
  EXPECT_TRUE(counted_bound(run, h100()).ceilings.empty()) << "no kernel";
  run.kernels.push_back(kernel(1));
  run.kernels[0].instructions[Counted::fp32] = 1;
  EXPECT_FALSE(counted_bound(run, h100()).ceilings.empty());
  run.kernels.push_back(kernel(1));
  EXPECT_TRUE(counted_bound(run, h100()).ceilings.empty()) << "a kernel from source";
  run.kernels.pop_back();
  run.incomplete = "a reason";
  EXPECT_TRUE(counted_bound(run, h100()).ceilings.empty());
}

// The dense TFLOP/s that the datasheets give, at their clock: an error of a factor in the table.
TEST(GpuModels, SayWhatTheDatasheetsSay) {
  const auto tera = [](const char* option, Counted of, double mhz) {
    const GpuModel& gpu = gpu_model(option);
    const bool is_fma = of == Counted::fp32 || of == Counted::fp64;
    return gpu.per_clock[static_cast<size_t>(of)] * (is_fma ? 2 : 1) * gpu.multiprocessors * mhz / 1e6;
  };
  EXPECT_NEAR(tera("h100", Counted::tensor_f16, 1830), 989.4, 1);
  EXPECT_NEAR(tera("h100", Counted::tensor_f8, 1830), 1978.9, 2);
  EXPECT_NEAR(tera("h100", Counted::tensor_tf32, 1830), 494.7, 1);
  EXPECT_NEAR(tera("h100", Counted::fp32, 1980), 66.9, 0.1);
  EXPECT_NEAR(tera("h200", Counted::tensor_f64, 1980), 66.9, 0.1);
  EXPECT_NEAR(tera("a100", Counted::tensor_f16, 1410), 312, 1);
  EXPECT_NEAR(tera("a100", Counted::tensor_f64, 1410), 19.5, 0.1);
  EXPECT_NEAR(tera("a100", Counted::fp32, 1410), 19.5, 0.1);
  EXPECT_NEAR(tera("a100", Counted::fp64, 1410), 9.7, 0.1);
  EXPECT_NEAR(tera("l4", Counted::fp32, 2040), 30.3, 0.1);
  EXPECT_NEAR(tera("l4", Counted::tensor_f16, 2040), 121, 1);
  EXPECT_NEAR(tera("rtx4090", Counted::fp32, 2520), 82.6, 0.1);
  EXPECT_NEAR(tera("rtx4090", Counted::tensor_f16, 2520), 330.3, 1);
  EXPECT_NEAR(tera("rtx4090", Counted::tensor_tf32, 2520), 82.6, 0.1);
}

}  // namespace
}  // namespace assay
