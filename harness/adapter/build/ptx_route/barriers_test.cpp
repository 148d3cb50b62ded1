// Tests barriers in PTX that runs: of some threads by number, and in memory (mbarrier) with the copies that they count.
// Ordered accesses are silent in every order, others are races.
#include <gmock/gmock.h>

#include "harness/adapter/build/ptx_route/test_run_ptx.h"

namespace assay::ptx_barriers {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// Threads of two warps write, meet, and read what the other end of their 64 has written. `meet`: with the barrier's
// number in %r3.
std::string meeting(const std::string& name, const std::string& meet) {
  return kernel_text(
      name,
      "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r2, [%rd4];\n"
      "shr.u32 %r3, %r1, 6; add.u32 %r3, %r3, 1; mov.u32 %r4, tile_" +
          name +
          ";\n"
          "shl.b32 %r5, %r1, 2; add.u32 %r5, %r5, %r4; st.shared.u32 [%r5], %r2;\n" +
          meet +
          "\nxor.b32 %r6, %r1, 63; shl.b32 %r6, %r6, 2; add.u32 %r6, %r6, %r4; ld.shared.u32 %r7, [%r6];\n"
          "add.u64 %rd5, %rd2, %rd3; st.global.u32 [%rd5], %r7;");
}

// Only a copy brings these values back.
constexpr const char* kCleared = "mov.u32 %r9, 0; st.shared.u32 [%r5], %r9;\n";
// The mbarrier lies behind what meeting() uses of the tile.
constexpr const char* kMbarrierBegins =
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra BEGUN; mbarrier.init.shared.b64 [%r4+768], 128;\nBEGUN: bar.sync 0;\n";

// The mbarrier alone orders these: the words are stored after the block has met.
const std::string kStoredAfter = std::string(kCleared) + kMbarrierBegins + "st.shared.u32 [%r5], %r2;\n";

// Each thread waits for the state of the one before it, and puts its own sum beside a state of its own, at once.
std::string relay(const std::string& name, const std::string& type, int bytes) {
  const bool is_word = type == "u32";
  const std::string sum = is_word ? "%r5" : "%rd8", state = is_word ? "%r6" : "%rd9";
  return kernel_text(name,
                     fmt::format("mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r2, [%rd4];\n"
                                 "mov.u32 %r3, tile_{0}; mad.lo.u32 %r3, %r1, {2}, %r3; mov.{1} {4}, 0;\n"
                                 "st.shared.v2.{1} [%r3], {{{4}, {4}}}; bar.sync 0;\n"
                                 "mov.{1} {3}, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra FIRST;\n"
                                 "LOOK: ld.relaxed.cta.shared.v2.{1} {{{4}, {3}}}, [%r3+-{2}];\n"
                                 "setp.ne.{1} %p2, {4}, 1; @%p2 bra LOOK;\n"
                                 "FIRST: {5}; add.{1} {3}, {3}, {6}; mov.{1} {4}, 1;\n"
                                 "st.relaxed.cta.shared.v2.{1} [%r3], {{{4}, {3}}};\n"
                                 "cvt.u32.{1} %r7, {3}; add.u64 %rd5, %rd2, %rd3; st.global.u32 [%rd5], %r7;",
                                 name, type, bytes, sum, state, is_word ? "mov.u32 %r8, %r2" : "cvt.u64.u32 %rd10, %r2",
                                 is_word ? "%r8" : "%rd10"));
}

std::string text_of_kernels() {
  std::string text = kPtxHead;
  text += relay("relay_of_8_bytes", "u32", 8) + relay("relay_of_16_bytes", "u64", 16);
  text += meeting("named", "bar.sync %r3, 64;");
  text += meeting("unaligned_form", "barrier.cta.sync %r3, 64;");
  // The second half waits for the first, which comes after a barrier 0 of its own.
  text += meeting("number_zero_of_some",
                  "setp.ge.u32 %p1, %r1, 64; @%p1 bra OTHERS; bar.sync 0, 64; bar.arrive 2, 128; bra MET;\n"
                  "OTHERS: bar.sync 2, 128;\nMET:");
  text += meeting("whole_block_by_number", "bar.sync 5;");
  text += meeting("not_at_all", "");
  text += meeting("another_one", "shr.u32 %r3, %r1, 5; bar.sync %r3, 32;");
  text += meeting("too_many", "bar.sync %r3, 96;");
  text += meeting("no_whole_warps", "mov.u32 %r8, 40; bar.sync %r3, %r8;");
  // Half of the threads only arrive, the other half waits; it reads the values of those that arrived.
  text += meeting("arrives",
                  "setp.lt.u32 %p1, %r1, 64; @%p1 bra TELL; bar.sync 7, 128; bra READ;\nTELL: bar.arrive 7, 128; "
                  "bar.sync 8, 64;\nREAD: setp.lt.u32 %p1, %r1, 64; @%p1 bra OWN; sub.u32 %r1, %r1, 64;\nOWN:");
  text +=
      kernel_text("votes",
                  "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r2, [%rd4];\n"
                  "setp.ne.u32 %p1, %r2, 0; shr.u32 %r3, %r1, 6; add.u32 %r3, %r3, 1;\n"
                  "bar.red.popc.u32 %r4, %r3, 64, %p1; bar.red.and.pred %p2, %r3, 64, %p1;\n"
                  "bar.red.or.pred %p3, %r3, 64, %p1; selp.u32 %r5, 256, 0, %p2; selp.u32 %r6, 512, 0, %p3;\n"
                  "bar.red.popc.u32 %r8, 0, %p1; shl.b32 %r8, %r8, 16; add.u32 %r4, %r4, %r8;\n"
                  "add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6; add.u64 %rd5, %rd2, %rd3; st.global.u32 [%rd5], %r4;");
  // A barrier made of a counter, which publishes what came before it only where it is a release.
  for (const char* order : {"release", "relaxed"})
    text +=
        meeting(fmt::format("counter_{}", order),
                fmt::format("setp.ne.u32 %p1, %r1, 0; @%p1 bra BEGUN; mov.u32 %r9, 0; st.shared.u32 [%r4+776], %r9;\n"
                            "BEGUN: bar.sync 0; st.shared.u32 [%r5], %r2;\n"
                            "atom.add.{}.cta.shared.u32 %r9, [%r4+776], 1;\n"
                            "LOOK: ld.acquire.cta.shared.u32 %r9, [%r4+776]; setp.lt.u32 %p2, %r9, 128;\n"
                            "@%p2 bra LOOK;",
                            order));
  // These are the steps of grid.sync() of cooperative_groups: block 0 adds the number that turns the word's upper bit
  // when all have come.
  text += kernel_text(
      "grid_sync",
      "mov.u32 %r2, %envreg1; mov.u32 %r3, %envreg2; mov.b64 %rd5, {%r3, %r2};\n"
      "mov.u32 %r4, %ctaid.x; mov.u32 %r5, %nctaid.x; mad.lo.u32 %r6, %r4, 32, %r1; mul.wide.u32 %rd3, %r6, 4;\n"
      "add.u64 %rd4, %rd2, %rd3; st.global.u32 [%rd4+512], %r6; bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra MET;\n"
      "sub.u32 %r7, 0x80000001, %r5; setp.eq.u32 %p2, %r4, 0; selp.u32 %r8, %r7, 1, %p2;\n"
      "atom.add.release.gpu.u32 %r9, [%rd5+4], %r8;\n"
      "LOOK: ld.acquire.gpu.u32 %r10, [%rd5+4]; xor.b32 %r10, %r10, %r9; setp.ge.s32 %p3, %r10, 0; @%p3 bra LOOK;\n"
      "MET: bar.sync 0; xor.b32 %r6, %r6, 127; mul.wide.u32 %rd6, %r6, 4; add.u64 %rd7, %rd2, %rd6;\n"
      "ld.global.u32 %r11, [%rd7+512]; st.global.u32 [%rd4], %r11;");
  text += meeting("mbarrier_waits", kStoredAfter +
                                        "mbarrier.arrive.shared.b64 %rd9, [%r4+768];\n"
                                        "WAIT: mbarrier.try_wait.shared.b64 %p2, [%r4+768], %rd9; @!%p2 bra WAIT;");
  // libcu++'s pipelines end so: the last to leave, by a count, takes the mbarrier away.
  text += meeting("mbarrier_taken_away",
                  "setp.ne.u32 %p1, %r1, 0; @%p1 bra ZEROED; mov.u32 %r9, 0; st.shared.u32 [%r4+776], %r9;\nZEROED:" +
                      kStoredAfter +
                      "mbarrier.arrive.shared.b64 %rd9, [%r4+768];\n"
                      "WAIT: mbarrier.try_wait.shared.b64 %p2, [%r4+768], %rd9; @!%p2 bra WAIT;\n"
                      "fence.sc.cta; atom.add.acquire.cta.shared.u32 %r9, [%r4+776], 1; setp.ne.u32 %p3, %r9, 127;\n"
                      "@%p3 bra LEFT; mbarrier.inval.shared.b64 [%r4+768];\nLEFT:");
  text += meeting("mbarrier_by_parity",
                  kStoredAfter +
                      "mbarrier.arrive.release.cta.shared::cta.b64 _, [%r4+768];\n"
                      "FIRST: mbarrier.test_wait.parity.shared.b64 %p2, [%r4+768], 0; @!%p2 bra FIRST;\n"
                      "mbarrier.arrive.shared.b64 _, [%r4+768];\n"
                      "SECOND: mbarrier.try_wait.parity.acquire.cta.shared.b64 %p2, [%r4+768], 1; @!%p2 bra SECOND;");
  text += meeting("mbarrier_not_awaited", kStoredAfter + "mbarrier.arrive.shared.b64 %rd9, [%r4+768];");
  // Each thread's word comes by an asynchronous copy that the mbarrier counts, in place of the plain store.
  text += meeting("copies",
                  std::string(kCleared) + kMbarrierBegins +
                      "cp.async.ca.shared.global [%r5], [%rd4], 4; cp.async.mbarrier.arrive.shared.b64 [%r4+768];\n"
                      "mbarrier.arrive.shared.b64 %rd9, [%r4+768];\n"
                      "WAIT: mbarrier.try_wait.shared.b64 %p2, [%r4+768], %rd9; @!%p2 bra WAIT;");
  text +=
      meeting("copies_at_once",
              std::string(kCleared) + kMbarrierBegins +
                  "setp.ne.u32 %p1, %r1, 0; @%p1 bra TELL; mbarrier.expect_tx.relaxed.cta.shared.b64 [%r4+768], 512;\n"
                  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd1], 512, [%r4+768];\n"
                  "TELL: mbarrier.arrive.shared.b64 %rd9, [%r4+768];\n"
                  "WAIT: mbarrier.try_wait.shared.b64 %p2, [%r4+768], %rd9; @!%p2 bra WAIT;");
  text += kernel_text("waits_by_clock",
                      "mov.u32 %r2, %clock;\nLOOK: mov.u32 %r3, %clock; sub.u32 %r4, %r3, %r2;\n"
                      "setp.lt.u32 %p1, %r4, 2000000; @%p1 bra LOOK;\n"
                      "mul.wide.u32 %rd3, %r1, 8; add.u64 %rd4, %rd2, %rd3; st.global.v2.u32 [%rd4], {%r2, %r3};");
  text += kernel_text("outside_of_its_mask", "\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, 0x00ffffff;\n");
  text += kernel_text("product_by_31_lanes",
                      "setp.eq.u32 %p1, %r1, 31; @%p1 bra LEFT;\n"
                      "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r2, %r3}, {%r4}, {%r5}, {%r6, %r7};\nLEFT:");
  text += kernel_text("row_misaligned",
                      "mov.u32 %r4, tile_row_misaligned;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r4+4];\n");
  return text;
}

RunPtx& run() {
  static RunPtx runs("barriers", text_of_kernels());
  return runs;
}

TEST(PtxBarriers, PtxasTakesTheText) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  EXPECT_EQ(run().refused_by_ptxas(), "");
}

std::vector<uint32_t> counting(size_t count) {
  std::vector<uint32_t> all(count);
  for (size_t i = 0; i < count; ++i) all[i] = static_cast<uint32_t>(1000 + i);
  return all;
}

TEST(PtxBarriers, BarriersOrderTheThreadsThatMeet) {
  for (const char* name : {"named", "unaligned_form", "whole_block_by_number", "number_zero_of_some", "counter_release",
                           "mbarrier_waits", "mbarrier_taken_away", "mbarrier_by_parity", "copies", "copies_at_once"})
    for (const bool checked : {false, true})
      for (const uint64_t schedule : {0u, 1u, 2u, 3u}) {
        const RunPtx::Outcome ran = run()(name, checked, 128, counting(128), 128, schedule);
        ASSERT_THAT(ran.findings, IsEmpty()) << name << ", schedule " << schedule;
        for (uint32_t i = 0; i < 128; ++i)
          ASSERT_EQ(ran.out[i], 1000 + (i ^ 63)) << name << " " << i << ", schedule " << schedule;
      }
}

TEST(PtxBarriers, OrderedVectorsComeWhole) {
  for (const char* name : {"relay_of_8_bytes", "relay_of_16_bytes"})
    for (const bool checked : {false, true})
      for (const uint64_t schedule : {0u, 1u, 2u, 3u}) {
        const RunPtx::Outcome ran = run()(name, checked, 24, counting(24), 24, schedule);
        ASSERT_THAT(ran.findings, IsEmpty()) << name << ", schedule " << schedule;
        for (uint32_t i = 0; i < 24; ++i)
          ASSERT_EQ(ran.out[i], 1000 * (i + 1) + i * (i + 1) / 2) << name << " " << i << ", schedule " << schedule;
      }
}

// No thread has waited before the last begins, as on a GPU.
TEST(PtxBarriers, ThreadsWaitForATimeAtOnce) {
  for (const bool checked : {false, true}) {
    const RunPtx::Outcome ran = run()("waits_by_clock", checked, 64, {0}, 128, 1);
    ASSERT_THAT(ran.findings, IsEmpty());
    for (size_t i = 0; i < 64; ++i)
      for (size_t j = 0; j < 64; ++j)
        ASSERT_GT(static_cast<int32_t>(ran.out[2 * i + 1] - ran.out[2 * j]), 0) << i << " and " << j;
  }
}

// The threads that do not meet race, in some order at least.
TEST(PtxBarriers, WhereNothingOrdersThreadsThereIsARace) {
  for (const char* name : {"not_at_all", "another_one", "counter_relaxed", "mbarrier_not_awaited"})
    EXPECT_THAT(run()(name, true, 128, counting(128), 128, 1).findings, HasSubstr("RACE")) << name;
}

TEST(PtxBarriers, ABarrierThatCannotOpenIsReported) {
  EXPECT_THAT(run()("too_many", false, 128, counting(128), 128, 1).findings,
              AllOf(HasSubstr("BARRIER"), HasSubstr("waits for ever at barrier"), HasSubstr("64 of 96 threads")));
  EXPECT_THAT(run()("no_whole_warps", false, 128, counting(128), 128, 1).findings,
              AllOf(HasSubstr("BARRIER"), HasSubstr("of 40 threads, which is no number of whole warps")));
}

// They are functions of their own in the translated kernel, and what is found is at the kernel's line.
TEST(PtxBarriers, WarpOperationsAreNamedByTheKernelsLine) {
  const std::string text = text_of_kernels();
  for (const auto& [name, instruction] :
       {std::pair{"outside_of_its_mask", "shfl"}, {"product_by_31_lanes", "mma"}, {"row_misaligned", "ldmatrix"}})
    for (const bool checked : {false, true}) {
      const size_t at = text.find(std::string("\n") + instruction, text.find(name)) + 1;
      const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
      EXPECT_THAT(run()(name, checked, 32, {0}, 1, 0).findings, HasSubstr(fmt::format("barriers.ptx:{})", line)))
          << name << (checked ? ", checked" : "");
    }
}

// The upper half of the threads reads what the lower half has written, which only arrives.
TEST(PtxBarriers, WhoArrivesNeedNotWait) {
  for (const bool checked : {false, true})
    for (const uint64_t schedule : {0u, 1u, 2u}) {
      const RunPtx::Outcome ran = run()("arrives", checked, 128, counting(128), 128, schedule);
      ASSERT_THAT(ran.findings, IsEmpty()) << "schedule " << schedule;
      for (uint32_t i = 0; i < 128; ++i) ASSERT_EQ(ran.out[i], 1000 + (i % 64 ^ 63)) << i;
    }
}

// The blocks meet by the words that a cooperative launch gets from the driver. The checked build runs one block after
// another.
TEST(PtxBarriers, BlocksMeetInTheWorkspaceOfTheGrid) {
  for (const uint64_t schedule : {0u, 1u, 2u}) {
    const RunPtx::Outcome ran = run()("grid_sync", false, 32, {0}, 256, schedule, 4);
    ASSERT_THAT(ran.findings, IsEmpty());
    for (uint32_t i = 0; i < 128; ++i) ASSERT_EQ(ran.out[i], i ^ 127) << i << ", schedule " << schedule;
  }
}

TEST(PtxBarriers, BarriersCountVotes) {
  std::vector<uint32_t> in(128, 1);
  in[3] = in[70] = in[71] = 0;
  for (size_t i = 64; i < 128; ++i) in[i] = i == 100 ? 1 : 0;
  const RunPtx::Outcome ran = run()("votes", true, 128, in, 128, 2);
  EXPECT_THAT(ran.findings, IsEmpty());
  for (size_t i = 0; i < 128; ++i) ASSERT_EQ(ran.out[i], (64u << 16) + (i < 64 ? 63u + 512u : 1u + 512u)) << i;
}

}  // namespace
}  // namespace assay::ptx_barriers
