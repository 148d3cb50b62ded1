// The command line with a GPU, end to end: a simulated one (harness/device/cuda/simulated), and none at all.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::run;
using selftest::Scratch;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kShape = " f32 rows=3 cols=5 fill=normal seed=1 block=64 schedule=0'";

class SimulatedGpu : public testing::Test {
 protected:
  void SetUp() override { setenv("ASSAY_GPU_MODULES", ASSAY_BUILD_DIR "/simulated_gpu", 1); }
  void TearDown() override { unsetenv("ASSAY_GPU_MODULES"); }

  selftest::Ran check(const std::string& arguments) {
    return run("assay", "check --no-save --shrink 0s --out " + scratch.path + "/run " + arguments);
  }
  Scratch scratch;
};

class NoGpu : public SimulatedGpu {
 protected:
  void SetUp() override { setenv("ASSAY_GPU_MODULES", scratch.path.c_str(), 1); }
};

TEST_F(NoGpu, IsSaidAndNothingPasses) {
  const auto ran = check("--device gpu");
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, AllOf(HasSubstr("skipped, device gpu is not here: "), HasSubstr("no kernels for a GPU")));
  EXPECT_THAT(run("assay", "list devices").out, HasSubstr("not here: "));
  EXPECT_EQ(run("assay", "replay --under racecheck 'softmax_forward/block_per_row" + std::string(kShape)).exit_code, 3);
}

TEST_F(NoGpu, LeavesTheChoiceOfADeviceToTheCpu) {
  EXPECT_THAT(check("--cases 1 'transpose_2d/*'").out, HasSubstr("device cpu, cpu-checked"));
}

// Shows the behaviour of a static program on one that has the simulated GPU inside.
TEST(GpuInside, IsUsedWithoutAModule) {
  const Scratch scratch;
  const auto ran = run("simulated_gpu/assay_gpu_inside",
                       "check --no-save --device gpu --cases 2 --out " + scratch.path + "/run 'transpose_2d/*'");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(run("simulated_gpu/assay_gpu_inside", "list devices").out, HasSubstr("gpu 1: "));
}

TEST_F(SimulatedGpu, InsideAProgramAModuleIsRefused) {
  const auto ran =
      run("simulated_gpu/assay_gpu_inside", "replay --device gpu 'softmax_forward/block_per_row" + std::string(kShape));
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.err,
            "assay: skipped, device gpu is not here: this program has its kernels inside and loads no modules; unset "
            "ASSAY_GPU_MODULES\n");
}

TEST_F(SimulatedGpu, IsChosenByItself) {
  const auto ran = check("--cases 2 'transpose_2d/*'");
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("device cpu-checked, gpu"));
  EXPECT_THAT(run("assay", "list variants").out, HasSubstr("on cpu, cpu-checked, gpu"));
}

TEST_F(SimulatedGpu, EveryVariantPasses) {
  std::string ops;
  for (const auto& op : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/kernels"))
    if (exists(op.path() / "contract.h") && op.path().filename() != "softmax_forward")  // whose planted variants fail
      ops += " " + op.path().filename().string();
  const auto ran = check("--device gpu --cases 3" + ops);
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("none failed"));
}

TEST_F(SimulatedGpu, AFaultEndsTheCaseNotTheRun) {
  const auto ran = check("--device gpu --jobs 1 --cases 4 softmax_forward/reads_far_away softmax_forward/warp_per_row");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("the GPU reports: an illegal memory access"));
  // One worker: it starts over after each fault, four of them for each dtype, and the kernel that is right passes all
  // the same.
  const std::string rows = selftest::read_text(scratch.path + "/run/results.csv");
  size_t crashes = 0, passes = 0;
  std::istringstream in(rows);
  for (std::string line; std::getline(in, line);) {
    const bool faulty = line.find("reads_far_away") != std::string::npos;
    crashes += faulty && line.find(",CRASH,") != std::string::npos;
    passes += !faulty && line.find(",PASS,") != std::string::npos;
  }
  EXPECT_EQ(crashes, 12U) << rows;
  EXPECT_GE(passes, 12U) << rows;
}

TEST_F(SimulatedGpu, EachKindOfFaultHasItsVerdict) {
  const std::vector<std::tuple<std::string, std::string, std::string>> faults = {
      {"writes_past_the_end", "GUARD_BROKEN", "output y was written outside: 1 elements past its end"},
      {"never_ends", "TIMEOUT", "waiting for the GPU: the kernel does not end"},
  };
  for (const auto& [variant, verdict, why] : faults) {
    const auto ran = run("assay", "replay --device gpu --case-limit 1s 'softmax_forward/" + variant + kShape);
    EXPECT_EQ(ran.exit_code, 1) << variant;
    EXPECT_THAT(ran.out, AllOf(testing::StartsWith(verdict + "  "), HasSubstr(why)));
  }
}

// Nine faults and a right kernel run case after case in one worker. CUDA's message for a case is in its row only.
TEST_F(SimulatedGpu, AFaultIsBlamedOnItsOwnCase) {
  const std::map<std::string, std::pair<std::string, std::string>> faults = {
      {"reads_far_away", {"CRASH", "an illegal memory access was encountered"}},
      {"reads_misaligned", {"CRASH", "misaligned address"}},
      {"asserts", {"CRASH", "device-side assert triggered"}},
      {"takes_too_long", {"CRASH", "the launch timed out"}},
      {"loses_the_gpu", {"CRASH", "uncorrectable ECC error"}},
      {"is_refused", {"CRASH", "launch refused"}},
      {"has_no_plan", {"UNSUPPORTED", "CUDNN_STATUS_NOT_SUPPORTED"}},
      {"has_no_scratch", {"SKIPPED", "a workspace of 99 bytes: out of memory"}},
      {"takes_too_much", {"SKIPPED", "of GPU memory"}},
      {"lacks_its_library", {"UNSUPPORTED", "libcunone.so"}},
      {"warp_per_row", {"PASS", ""}},
  };
  std::string select;
  for (const auto& [variant, expected] : faults) select += " softmax_forward/" + variant;
  const auto ran = check("--device gpu --jobs 1 --cases 3" + select);
  EXPECT_EQ(ran.exit_code, 1) << ran.out;
  std::map<std::string, int> rows;
  std::istringstream lines(selftest::read_text(scratch.path + "/run/results.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json row = nlohmann::json::parse(line);
    const std::string variant = row.at("variant");
    ++rows[variant];
    EXPECT_EQ(row.at("verdict"), faults.at(variant).first) << line;
    EXPECT_THAT(row.value("detail", ""), HasSubstr(faults.at(variant).second)) << line;
  }
  for (const auto& [variant, expected] : faults) EXPECT_GE(rows[variant], 3) << variant;
}

TEST_F(SimulatedGpu, ADriverThatIsTooOldIsSaidAndNothingRuns) {
  setenv("ASSAY_SIMULATED_OLD_DRIVER", "1", 1);
  const auto ran = run("assay", "replay --device gpu 'softmax_forward/warp_per_row" + std::string(kShape));
  unsetenv("ASSAY_SIMULATED_OLD_DRIVER");
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_THAT(ran.err, HasSubstr("no NVIDIA driver, or one older than CUDA 13.0, is installed"));
}

TEST_F(SimulatedGpu, MemoryThatItDoesNotHaveIsNoFault) {
  const auto ran = run("assay",
                       "replay --device gpu "
                       "'transpose_2d/padded_tile f32 rows=3000 cols=3000 fill=all_equal seed=1 block=64 schedule=0'");
  EXPECT_EQ(ran.exit_code, 3) << "nothing was judged";
  EXPECT_THAT(ran.out,
              AllOf(testing::StartsWith("SKIPPED"), HasSubstr("0.0671 GiB of GPU memory, 0.0625 GiB are free")));
}

TEST_F(SimulatedGpu, ANumberChoosesOne) {
  EXPECT_EQ(run("assay", "replay --gpu 1 'softmax_forward/block_per_row" + std::string(kShape)).exit_code, 0);
  const auto ran = run("assay", "replay --gpu 2 'softmax_forward/block_per_row" + std::string(kShape));
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_THAT(ran.err, HasSubstr("there is no GPU 2; they are 0 to 1"));
}

// A fake compute-sanitizer: runs the given program and prints the test's text.
class Tools : public SimulatedGpu {
 protected:
  selftest::Ran replay(const std::string& variant, const std::string& tool, const std::string& prints) {
    const std::string program = scratch.path + "/compute-sanitizer";
    std::ofstream(program) << "#!/bin/sh\n[ \"$1 $2\" = \"--tool " + tool +
                                  "\" ] || exit 9\nshift 4\n\"$@\"\nstatus=$?\n" + prints + "\nexit $status\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const std::string path = std::getenv("PATH");
    setenv("PATH", (scratch.path + ":" + path).c_str(), 1);
    const auto ran = run("assay", "replay --under " + tool + " 'softmax_forward/" + variant + kShape);
    setenv("PATH", path.c_str(), 1);
    return ran;
  }
};

TEST_F(Tools, AnErrorFailsWhatTheJudgePasses) {
  const auto clean = replay("block_per_row", "memcheck", "echo '========= ERROR SUMMARY: 0 errors'");
  EXPECT_EQ(clean.exit_code, 0) << clean.out << clean.err;
  EXPECT_THAT(clean.out, AllOf(HasSubstr("PASS  softmax_forward"), HasSubstr("memcheck: 0 errors")));
  const auto found = replay("block_per_row", "memcheck", "echo '========= ERROR SUMMARY: 3 errors'");
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_THAT(found.out, HasSubstr("memcheck: 3 errors"));
}

TEST_F(Tools, ACleanToolDoesNotPassWhatTheJudgeFails) {
  EXPECT_EQ(replay("is_refused", "synccheck", "echo '========= ERROR SUMMARY: 0 errors'").exit_code, 1);
}

TEST_F(Tools, ASilentToolFails) {
  const auto silent = replay("block_per_row", "racecheck", "");
  EXPECT_EQ(silent.exit_code, 1);
  EXPECT_THAT(silent.err, HasSubstr("without its summary"));
}

// Bare allocations have no guards, which is how the sanitizer, and not the judge, sees a stray write.
TEST_F(Tools, SanitizersSeeBareAllocations) {
  EXPECT_EQ(replay("writes_past_the_end", "memcheck", "echo '========= ERROR SUMMARY: 0 errors'").exit_code, 0);
}

TEST_F(SimulatedGpu, AToolThatIsNotThereIsSaid) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/bin", 1);
  const auto ran = run("assay", "replay --under nsys 'softmax_forward/block_per_row" + std::string(kShape));
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("cannot start nsys: it is not on PATH; it comes with NVIDIA Nsight"));
}

}  // namespace
}  // namespace assay
