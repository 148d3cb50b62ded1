// scripts/gpu with a program of a few lines in assay's place: what it calls, what it makes of exit codes, that it goes
// on where it was, and its last lines. No GPU is needed, and none is used.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Ran;
using selftest::read_text;
using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// Notes its arguments in the file `calls`, leaves two rows and a run.json in --out or --resume, and ends with the exit
// code that the file code.COMMAND names. A replay is one of planted bugs: it prints what the file said.VARIANT.TOOL
// holds, else that the tool found nothing.
constexpr const char* kAssay = R"sh(#!/usr/bin/env bash
root=$(dirname "$0")/.. command=$1
echo "$*" >> "$root/calls"
for word; do
  [[ ! $before =~ ^--(out|resume)$ ]] || out=$word
  [[ $before != --under ]] || tool=$word
  before=$word
done
if [[ $command == replay ]]; then
  [[ $0 == *_selftest || ${ASSAY_GPU_MODULES:-} == build/selftest ]] || exit 2
  variant=${word%% *} said=$root/said.${variant#*/}.$tool
  if [[ -f $said ]]; then cat "$said"; else echo "$tool: 0 errors"; fi
  exit 0
fi
mkdir -p "$out"
printf '{}\n{}\n' > "$out/results.jsonl"
cp "$root/run.json" "$out/run.json"
exit "$(cat "$root/code.$command" 2> /dev/null || echo 0)"
)sh";

void write(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
}

void write_program(const std::string& path, const std::string& text) {
  write(path, text);
  fs::permissions(path, fs::perms::owner_all);
}

class GpuScript : public testing::Test {
 protected:
  GpuScript() {
    fs::create_directories(root + "/scripts");
    fs::copy_file(ASSAY_SOURCE_DIR "/scripts/gpu", root + "/scripts/gpu");
    write_program(root + "/build/assay", kAssay);
    write_program(root + "/build/assay_selftest", kAssay);
    write(root + "/run.json", R"({"status": "complete"})");
    write(root + "/harness/selftest/planted/race.cu", "// SANITIZER: racecheck op/racy f32 rows=2\n");
    write(root + "/harness/selftest/planted/twin.cu", "// SANITIZER: silent op/orderly f32 rows=2\n");
    write(root + "/said.racy.racecheck", "racecheck: 1 hazards (1 errors, 0 warnings)\n");
    write(root + "/said.orderly.racecheck", "racecheck: 0 hazards (0 errors, 0 warnings)\n");
    write_program(bin + "/nvidia-smi", "#!/bin/sh\necho 'GPU 0: a GPU'\n");
    write_program(bin + "/compute-sanitizer", "#!/bin/sh\n");
  }

  // Runs scripts/gpu with only the programs of the system and the two above.
  Ran gpu(const std::string& arguments = "") {
    return selftest::run_command("env PATH=" + bin + ":/usr/bin:/bin " + root + "/scripts/gpu --out " + out + " " +
                                 arguments);
  }

  // The first word of every call so far.
  std::vector<std::string> calls() {
    std::vector<std::string> commands;
    std::ifstream file(root + "/calls");
    for (std::string line; std::getline(file, line);) commands.push_back(line.substr(0, line.find(' ')));
    return commands;
  }

  // The report of the last lines on a step.
  static std::string said_of(const std::string& step, const Ran& ran) {
    std::smatch found;
    return std::regex_search(ran.out, found, std::regex("\ngpu: " + step + " +([^\n]+)")) ? found[1].str() : "";
  }

  selftest::Scratch scratch;
  const std::string root = scratch.path + "/project", bin = scratch.path + "/bin", out = scratch.path + "/out";
};

TEST_F(GpuScript, WithoutAGpuItSaysSo) {
  write_program(bin + "/nvidia-smi", "#!/bin/sh\necho 'No devices were found'\nexit 6\n");
  const Ran ran = gpu();
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.err, "scripts/gpu: there is no GPU here: nvidia-smi lists none\n");
  EXPECT_THAT(calls(), IsEmpty());
}

TEST_F(GpuScript, DoesEveryStepOnce) {
  const Ran ran = gpu();
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(calls(),
              ElementsAre("check", "replay", "replay", "replay", "replay", "replay", "bench", "check", "report"));
  EXPECT_EQ(said_of("first", ran), "done     2 rows in " + out + "/first");
  EXPECT_EQ(said_of("check", ran), "done     2 rows in " + out + "/check");
  EXPECT_EQ(said_of("sanitizers", ran), "done     5 as they should be");
  EXPECT_EQ(said_of("bench", ran), "done     2 rows in " + out + "/bench");
  EXPECT_EQ(said_of("report", ran), "done     " + out + "/report.html");

  const Ran again = gpu();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(calls().size(), 10u) << "only the report is made again";
  EXPECT_EQ(said_of("check", again), said_of("check", ran));
}

TEST_F(GpuScript, AnotherBuildOrSuiteIsRunAnew) {
  gpu();
  write(root + "/build/libassay_gpu.so", "other kernels");
  gpu();
  EXPECT_EQ(calls().size(), 18u);
  gpu("--suite nightly");
  EXPECT_EQ(calls().size(), 27u);
}

// A step that takes no time leaves its share to the next one.
TEST_F(GpuScript, SplitsTheBudget) {
  gpu("--budget 9m");
  const std::string called = read_text(root + "/calls");
  EXPECT_THAT(called, ContainsRegex("check --suite ci --cases 3 --device gpu --budget 5[0-9]s"));
  EXPECT_THAT(called,
              ContainsRegex("bench --suite bench --processes 3 --case-budget 1s --device gpu --budget 3[67][0-9]s "));
  EXPECT_THAT(called, ContainsRegex("check --suite ci --device gpu --budget 5[01][0-9]s"));
}

TEST_F(GpuScript, HasTimeForTheNightlySuite) {
  gpu("--budget 2h");
  EXPECT_THAT(read_text(root + "/calls"), ContainsRegex("check --suite nightly --device gpu --budget 68[34][0-9]s"));
  EXPECT_THAT(read_text(root + "/calls"), HasSubstr("bench --suite bench --device gpu"));
}

TEST_F(GpuScript, ADryRunSaysWhenAndRunsNothing) {
  fs::remove(bin + "/nvidia-smi");
  const Ran ran = gpu("--dry-run --budget 10m");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("gpu: first       until   60 s\ngpu: sanitizers  until  120 s\n"));
  EXPECT_THAT(read_text(root + "/calls"),
              "bench --suite bench --processes 3 --case-budget 1s --dry-run --budget 300s\n");
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(GpuScript, AnArchiveIsGoneOnWithElsewhere) {
  EXPECT_EQ(gpu().exit_code, 0);
  ASSERT_TRUE(fs::exists(out + ".tar"));
  fs::rename(out + ".tar", scratch.path + "/earlier.tar");
  fs::remove_all(out);
  const Ran ran = gpu("--resume " + scratch.path + "/earlier.tar --archive " + scratch.path + "/later.tar");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(calls().size(), 10u) << "only the report is made again";
  EXPECT_EQ(said_of("bench", ran), "done     2 rows in " + out + "/bench");
  EXPECT_TRUE(fs::exists(scratch.path + "/later.tar"));
}

// A scheduler ends the job so while the benchmark runs: assay is ended too, and the results so far are packed.
TEST_F(GpuScript, AtTermThereIsAnArchive) {
  std::string program = kAssay;
  program.insert(program.find("mkdir -p \"$out\""),
                 "if [[ $command == bench ]]; then\n"
                 "  trap 'mkdir -p \"$out\"; echo {} > \"$out/results.jsonl\"; exit 3' TERM\n"
                 "  kill -TERM $PPID\n  for i in {1..100}; do sleep 0.1; done\nfi\n");
  write_program(root + "/build/assay", program);
  const Ran ran = gpu();
  EXPECT_EQ(ran.exit_code, 130) << ran.out;
  EXPECT_THAT(ran.err, HasSubstr("scripts/gpu: interrupted; the same command goes on, or --resume " + out + ".tar"));
  const Ran listed = selftest::run_command("tar -tf " + out + ".tar");
  EXPECT_THAT(listed.out, AllOf(HasSubstr("./bench/results.jsonl"), HasSubstr("./steps/sanitizers")));
  EXPECT_THAT(listed.out, Not(HasSubstr("./steps/bench")));
}

TEST_F(GpuScript, AFailureIsKeptAndTheOtherStepsRun) {
  write(root + "/code.check", "1");
  EXPECT_EQ(gpu().exit_code, 1);
  const Ran again = gpu();
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(said_of("check", again), "failed   2 rows in " + out + "/check");
  EXPECT_EQ(calls().size(), 10u);
}

TEST_F(GpuScript, AStepWithoutAResultIsTriedAgain) {
  write(root + "/code.bench", "2");
  const Ran ran = gpu();
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(said_of("bench", ran), "aborted  assay bench ended with exit code 2");
  fs::remove(root + "/code.bench");
  const Ran again = gpu();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(said_of("bench", again), "done     2 rows in " + out + "/bench");
  EXPECT_THAT(read_text(root + "/calls"), ContainsRegex("--budget 10[0-9][0-9]s --resume " + out + "/bench\n"));
}

TEST_F(GpuScript, TimeThatIsUsedUpIsNoFailureButNothingJudgedIs) {
  write(root + "/code.check", "3");
  const Ran inconclusive = gpu();
  EXPECT_EQ(inconclusive.exit_code, 1);
  EXPECT_EQ(said_of("check", inconclusive), "aborted  nothing was judged; see " + out + "/check");
  write(root + "/run.json", R"({"status": "out of time"})");
  for (const char* code : {"3", "0"}) {
    write(root + "/code.check", code);
    for (const char* step : {"/steps/first", "/steps/check"}) fs::remove(out + step);
    const Ran ran = gpu();
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(said_of("check", ran), "done     2 rows in " + out + "/check, then its share of the budget was used up");
  }
}

TEST_F(GpuScript, WithoutSanitizersTheStepIsSkipped) {
  fs::remove(bin + "/compute-sanitizer");
  const Ran ran = gpu();
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(said_of("sanitizers", ran), "skipped  compute-sanitizer is not installed");
  EXPECT_THAT(calls(), Not(Contains("replay")));
}

TEST_F(GpuScript, ABugThatItsToolDoesNotFindFails) {
  fs::remove(root + "/said.racy.racecheck");
  const Ran ran = gpu();
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(said_of("sanitizers", ran),
              HasSubstr("4 as they should be, 1 not: racecheck op/racy is silent, not found"));
}

TEST_F(GpuScript, AToolThatFindsSomethingInATwinFails) {
  write(root + "/said.orderly.initcheck", "initcheck: 12 errors\n");
  const Ran ran = gpu();
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(said_of("sanitizers", ran), HasSubstr("initcheck op/orderly is found, not silent"));
}

TEST_F(GpuScript, AToolWithoutASummaryFails) {
  write(root + "/said.orderly.memcheck", "assay: compute-sanitizer ended without its summary\n");
  const Ran ran = gpu();
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(said_of("sanitizers", ran), HasSubstr("memcheck op/orderly is unclear, not silent"));
}

TEST_F(GpuScript, RunsABundle) {
  const std::string file = scratch.path + "/bundle.tar.gz";
  ASSERT_EQ(selftest::run_command("tar -caf " + file + " -C " + scratch.path + " project").exit_code, 0);
  fs::remove_all(root + "/build");
  const Ran ran = gpu("--bundle " + file);
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_EQ(said_of("check", ran), "done     2 rows in " + out + "/check");
  EXPECT_TRUE(fs::exists(out + "/bundle/calls"));
}

TEST_F(GpuScript, WhereThereAreSourcesItBuilds) {
  fs::remove(root + "/build/assay_selftest");
  write(root + "/CMakeLists.txt", "");
  write_program(root + "/scripts/setup", "#!/bin/sh\n");
  write_program(root + "/scripts/find_nvcc", "#!/bin/sh\necho /nvcc\n");
  write(root + "/scripts/build_step.sh", "build_step() { echo \"building $*\"; }\n");
  const Ran ran = gpu();
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, StartsWith("building release build assay assay_gpu_modules\n"));
  EXPECT_EQ(said_of("sanitizers", ran), "done     5 as they should be");
}

TEST_F(GpuScript, BadUsageIsOneLine) {
  for (const char* bad :
       {"--budget soon", "--budget 0m", "--suite", "--fast", "--bundle /dev/null/none", "--resume none.tar"}) {
    const Ran ran = gpu(bad);
    EXPECT_EQ(ran.exit_code, 2) << bad;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
  EXPECT_THAT(calls(), IsEmpty());
}

}  // namespace
}  // namespace assay
