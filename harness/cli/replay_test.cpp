// Tests the report of `assay replay` on a case: where a debugger stops, what memory sees, what made a NaN, what a race
// does.
#include <gmock/gmock.h>

#include <filesystem>

#include "harness/base/process.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::run;
using testing::AllOf;
using testing::HasSubstr;

// A planted bug of each way to fail: gdb must stand in the kernel's file, on the line that the thread is at.
TEST(Replay, UnderGdbStopsInTheKernelOfTheFailingThread) {
  if (find_program("gdb").empty()) GTEST_SKIP() << "no gdb: run 'apt-get install gdb' (scripts/test does)";
  const struct {
    std::string line, says, file;
  } kinds[] = {
      {"--checked softmax_forward/barrier_missing f32 rows=1 cols=200 fill=normal seed=1 block=64 schedule=0",
       "between the two lines usually fixes it", "barrier_missing.cu:"},
      {"softmax_forward/barrier_under_branch f32 rows=1 cols=300 fill=normal seed=1 block=64 schedule=0",
       "every thread of a block must reach the same barrier", "barrier_under_branch.cu:"},
      {"softmax_forward/tail_dropped f32 rows=1 cols=33 fill=normal seed=1 block=32 schedule=0",
       "going on to where the worst element is written", "tail_dropped.cu:"},
      {"softmax_forward/null_written f32 rows=40 cols=40 fill=normal seed=1 block=32 schedule=0", "SIGSEGV",
       "null_written.cu:"},
  };
  for (const auto& kind : kinds) {
    const Ran ran = run("assay_selftest", "replay --under gdb " + kind.line, "frame\nquit\n");
    EXPECT_THAT(ran.out + ran.err, HasSubstr(kind.says)) << kind.line;
    const size_t prompt = ran.out.find("(gdb)");
    EXPECT_THAT(ran.out.substr(prompt == std::string::npos ? 0 : prompt), HasSubstr(kind.file)) << ran.out;
  }
}

TEST(Replay, UnderGdbRunsFibersWhateverTheEngine) {
  if (find_program("gdb").empty()) GTEST_SKIP() << "no gdb: run 'apt-get install gdb' (scripts/test does)";
  if (!std::filesystem::exists(ASSAY_BUILD_DIR "/modules/libplanteds_regions.so"))
    GTEST_SKIP() << "no kernel is split without -DASSAY_REGIONS=ON";
  const Ran ran = selftest::run_command(
      "ASSAY_ENGINE=regions " ASSAY_BUILD_DIR
      "/assay_selftest replay --under gdb softmax_forward/barrier_under_branch f32 rows=1 cols=300 fill=normal seed=1 "
      "block=64 schedule=0",
      "frame\ninfo sharedlibrary\nquit\n");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("barrier_under_branch.cu:"), HasSubstr("planteds_fast.so"))) << ran.err;
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("planteds_regions.so")));
}

TEST(Replay, UnderGdbWithoutGdbIsOneLine) {
  const Ran ran = selftest::run_command("ASSAY_WITHOUT=gdb " ASSAY_BUILD_DIR
                                        "/assay replay --under gdb softmax_forward/warp_per_row f32 rows=1 cols=1");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.err, "assay: cannot start gdb: No such file or directory; install it (Debian: apt-get install gdb)\n");
}

TEST(Replay, CountsMemoryAccessesByLine) {
  for (const char* how : {"", "--in-process "}) {
    const Ran ran = run("assay", "replay --stats " + std::string(how) +
                                     "'transpose_2d/padded_tile f32 rows=64 cols=64 fill=normal seed=1 block=256'");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("1 launch, 4 blocks; 32,768 bytes moved, 32,768 are compulsory\n"));
    EXPECT_THAT(ran.out, testing::ContainsRegex("padded_tile.cu:[0-9]+ +0 +0 +- +- +0 +1 "));  // no bank conflict
    EXPECT_THAT(ran.out, testing::ContainsRegex("all +16,384 +16,384 +16 +16 +1 +1 +- +- +1 +1\n"));
  }
}

TEST(Replay, NamesWhatMadeTheFirstNan) {
  const Ran ran = run("assay_selftest",
                      "replay softmax_forward/tail_dropped f16 rows=48 cols=118 fill=one_huge seed=37092 block=32");
  EXPECT_THAT(ran.out, HasSubstr("NaN first made by thread (0,0,0) of block (9,0,0) at tail_dropped.cu:")) << ran.err;
}

TEST(Replay, SaysUnderWhichScheduleARaceDoesHarm) {
  const Ran ran =
      run("assay_selftest",
          "replay --checked softmax_forward/barrier_missing f32 rows=1 cols=41 fill=integers seed=0 block=32");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, AllOf(testing::StartsWith("RACE"),
                             HasSubstr("shared scratch[0]: read by thread (1,0,0) (barrier_missing.cu:"),
                             testing::ContainsRegex("schedule=[0-9]+ shows a wrong value: y: ")));
}

}  // namespace
}  // namespace assay
