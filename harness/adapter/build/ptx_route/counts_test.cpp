// Instructions of PTX that runs, counted: every number is what a reader of the text would count.
#include <gmock/gmock.h>

#include "harness/adapter/build/ptx_route/test_run_ptx.h"

namespace assay::ptx_counts {
namespace {

using testing::IsEmpty;

// Behind the body of a kernel_text() come two integer instructions, a store, and its ret; in front of it, five moves.
constexpr const char* kStore = "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd5, %rd2, %rd3; st.global.u32 [%rd5], %r2;\n";

std::string text_of_kernels() {
  std::string text = kPtxHead;
  text +=
      ".func (.param .b32 result) twice(.param .b32 given) {\n.reg .b32 %r<3>;\n"
      "ld.param.b32 %r1, [given]; add.u32 %r2, %r1, %r1; st.param.b32 [result], %r2;\nret;\n}\n";
  text += kernel_text("vector_add",
                      "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;\n"
                      "ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd4+256]; add.f32 %f3, %f1, %f2;\n"
                      "st.global.f32 [%rd5], %f3;");
  text += kernel_text("both_sides", std::string("setp.lt.u32 %p1, %r1, 8; @%p1 bra LOW;\n"
                                                "add.u32 %r2, %r1, 1; bra MET;\n"
                                                "LOW: add.u32 %r2, %r1, 2; add.u32 %r2, %r2, 2;\nMET:") +
                                        kStore);
  // Thread t makes t + 1 rounds.
  text += kernel_text("rounds", std::string("mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                                            "AGAIN: add.u32 %r3, %r3, %r2; add.u32 %r2, %r2, 1;\n"
                                            "setp.le.u32 %p1, %r2, %r1; @%p1 bra AGAIN;\n") +
                                    kStore);
  // Two rounds of a loop with t + 1 rounds in the first and 32 - t in the second: 33 of each lane, 64 of the warp.
  text +=
      kernel_text("rounds_in_rounds",
                  std::string("mov.u32 %r2, 0; mov.u32 %r4, 0; mov.u32 %r5, %r1;\n"
                              "OUTER: mov.u32 %r3, 0;\n"
                              "INNER: add.u32 %r2, %r2, %r3; add.u32 %r3, %r3, 1;\n"
                              "setp.le.u32 %p1, %r3, %r5; @%p1 bra INNER;\n"
                              "sub.u32 %r5, 31, %r5; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 2; @%p2 bra OUTER;\n") +
                      kStore);
  // The second warp returns. Half of the first comes to the last store, which none of its lanes makes.
  text += kernel_text("predicated",
                      "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd5, %rd2, %rd3; setp.lt.u32 %p1, %r1, 32;\n"
                      "st.global.u32 [%rd5], %r1; @!%p1 ret;\n"
                      "setp.lt.u32 %p2, %r1, 16; @!%p2 bra DONE; @!%p2 st.global.u32 [%rd5], %r1;\nDONE:");
  text += kernel_text("calls", std::string("{ .param .b32 a; .param .b32 b; setp.lt.u32 %p1, %r1, 16; @!%p1 bra ALL;\n"
                                           "st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r2, [b];\n"
                                           "ALL: st.param.b32 [a], %r1; call.uni (b), twice, (a);\n"
                                           "ld.param.b32 %r2, [b]; }\n") +
                                   kStore);
  text += kernel_text("shares", std::string("mov.u32 %r4, tile_shares; shl.b32 %r5, %r1, 2; add.u32 %r5, %r5, %r4;\n"
                                            "st.shared.u32 [%r5], %r1; bar.sync 0; ld.shared.u32 %r2, [%r4];\n"
                                            "shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;\n"
                                            "mov.u32 %r6, %ctaid.x; mad.lo.u32 %r1, %r6, 64, %r1;\n") +
                                    kStore);
  text +=
      kernel_text("tensor", std::string("mov.u32 %r2, 0; mov.f32 %f1, 0f00000000;\n"
                                        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4},\n"
                                        "{%r2, %r2, %r2, %r2}, {%r2, %r2}, {%f1, %f1, %f1, %f1};\n") +
                                kStore);
  return text;
}

RunPtx& run() {
  static RunPtx runs("counts", text_of_kernels(), true);
  return runs;
}

AccessStatistics counted(const std::string& kernel, unsigned threads, uint64_t schedule = 0, unsigned blocks = 1) {
  AccessStatistics statistics;
  const auto outcome =
      run()(kernel, true, threads, std::vector<uint32_t>(128), 64 * blocks, schedule, blocks, &statistics);
  EXPECT_THAT(outcome.findings, IsEmpty()) << kernel;
  EXPECT_EQ(statistics.incomplete, "");
  return statistics;
}

struct Few {
  int64_t fp32 = 0, integer = 0, global = 0, control = 0, move = 0, shared = 0, barrier = 0, shuffle = 0, tensor = 0;
  int64_t by_threads = 0;
};

void expect_counts(const std::string& kernel, unsigned threads, const Few& few, unsigned blocks = 1) {
  InstructionCounts want;
  want[Counted::fp32] = few.fp32, want[Counted::integer] = few.integer, want[Counted::global] = few.global;
  want[Counted::control] = few.control, want[Counted::move] = few.move, want[Counted::shared] = few.shared;
  want[Counted::barrier] = few.barrier, want[Counted::shuffle] = few.shuffle, want[Counted::tensor] = few.tensor;
  want[Counted::tensor_f16] = few.tensor * 4096;
  want.by_threads = few.by_threads;
  std::vector<LineCounts> lines;
  for (const uint64_t schedule : {0, 0, 7, 12345}) {
    const AccessStatistics got = counted(kernel, threads, schedule, blocks);
    ASSERT_EQ(got.kernels.size(), 1u);
    EXPECT_EQ(got.kernels[0].warps, blocks * ((threads + 31) / 32));
    for (size_t i = 0; i < kCounted; ++i)
      EXPECT_EQ(got.kernels[0].instructions.of[i], want.of[i])
          << name(static_cast<Counted>(i)) << " of " << kernel << ", schedule " << schedule;
    EXPECT_EQ(got.kernels[0].instructions.by_threads, want.by_threads) << kernel << ", schedule " << schedule;
    InstructionCounts sum;
    for (const LineCounts& line : got.kernels[0].lines) sum += line.instructions;
    EXPECT_EQ(sum, got.kernels[0].instructions);
    if (lines.empty()) lines = got.kernels[0].lines;
    ASSERT_EQ(lines.size(), got.kernels[0].lines.size());
    for (size_t i = 0; i < lines.size(); ++i)
      EXPECT_EQ(lines[i].instructions, got.kernels[0].lines[i].instructions) << lines[i].line;
  }
}

TEST(PtxCounts, PtxasTakesTheText) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  EXPECT_EQ(run().refused_by_ptxas(), "");
}

TEST(PtxCounts, OfTwoWarps) {
  expect_counts("vector_add", 64,
                {.fp32 = 2, .integer = 6, .global = 6, .control = 2, .move = 10, .by_threads = 64 * 13});
}

TEST(PtxCounts, OfAWarpThatIsNotWhole) {
  expect_counts("vector_add", 40,
                {.fp32 = 2, .integer = 6, .global = 6, .control = 2, .move = 10, .by_threads = 40 * 13});
}

TEST(PtxCounts, OfBothSidesOfABranchWhereLanesTakeBoth) {
  // A comparison and a branch come before. The first warp takes both sides, the second the upper one only.
  expect_counts("both_sides", 64,
                {.integer = 2 * 1 + 2 * 1 + 2 + 2 * 2,
                 .global = 2,
                 .control = 2 * 1 + 2 * 1 + 2 * 1,
                 .move = 10,
                 .by_threads = 64 * (5 + 2 + 4) + 56 * 2 + 8 * 2});
}

TEST(PtxCounts, OfALoopByItsLongestLane) {
  const int64_t rounds_of_warps = 32 + 64, rounds_of_threads = 64 * 65 / 2;
  expect_counts("rounds", 64,
                {.integer = 3 * rounds_of_warps + 2 * 2,
                 .global = 2,
                 .control = rounds_of_warps + 2,
                 .move = 14,
                 .by_threads = 4 * rounds_of_threads + 64 * (7 + 4)});
}

TEST(PtxCounts, OfLoopsWhoseLanesMeetInBetween) {
  const int64_t inner = 64;
  expect_counts("rounds_in_rounds", 32,
                {.integer = 3 * inner + 2 * 3 + 2,
                 .global = 1,
                 .control = inner + 2 + 1,
                 .move = 5 + 3 + 2,
                 .by_threads = 32 * (5 + 3 + 2 * 5 + 4) + 4 * 32 * 33});
}

TEST(PtxCounts, OfPredicatedInstructionsInEachPass) {
  expect_counts("predicated", 64,
                {.integer = 2 * 3 + 1,
                 .global = 2 * 1 + 1,
                 .control = 2 * 1 + 1 + 1,
                 .move = 10,
                 .by_threads = 64 * (5 + 5) + 32 * (2 + 1) + 16});
}

TEST(PtxCounts, OfEachCall) {
  // Half of the lanes call once more. A call: two moves of parameters and itself; in the function three and its ret.
  expect_counts("calls", 32,
                {.integer = 1 + 2 * 1 + 2,
                 .global = 1,
                 .control = 1 + 2 * 2 + 1,
                 .move = 5 + 2 * 4,
                 .by_threads = 32 * (5 + 2 + 7 + 4) + 16 * 7});
}

TEST(PtxCounts, OfBarriersAndSharedMemoryInEveryBlock) {
  expect_counts("shares", 64,
                {.integer = 6 * 5,
                 .global = 6,
                 .control = 6,
                 .move = 6 * 7,
                 .shared = 6 * 2,
                 .barrier = 6,
                 .shuffle = 6,
                 .by_threads = 3 * 64 * 18},
                3);
}

TEST(PtxCounts, OfTensorInstructions) {
  expect_counts("tensor", 32, {.integer = 2, .global = 1, .control = 1, .move = 7, .tensor = 1, .by_threads = 32 * 12});
}

TEST(PtxCounts, ChangeNothingOfWhatTheKernelComputes) {
  AccessStatistics statistics;
  const auto plain = run()("calls", true, 64, std::vector<uint32_t>(128), 64, 0);
  const auto counted = run()("calls", true, 64, std::vector<uint32_t>(128), 64, 0, 1, &statistics);
  EXPECT_THAT(plain.findings, IsEmpty());
  EXPECT_EQ(plain.out, counted.out);
  EXPECT_EQ(plain.out[63], 126u);
}

}  // namespace
}  // namespace assay::ptx_counts
