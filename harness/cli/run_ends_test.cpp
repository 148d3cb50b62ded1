// However a run ends, what is left says so; and whatever the program is started with, it ends with a line.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "harness/adapter/build/compile_time.h"
#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/cli/preparing.h"
#include "harness/cli/test_usage_error.h"
#include "harness/op/registry.h"
#include "harness/report/test_sample_report.h"
#include "harness/selftest/as_found.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::expect_usage_error;
using selftest::Ran;
using selftest::read_text;
using selftest::run;
using selftest::run_command;
using selftest::Scratch;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kAssay = ASSAY_BUILD_DIR "/assay ";
const std::string kKernel = selftest::kAsFound + "/plain_c_softmax.cu";

std::string check_some(const std::string& options) {
  return "check " + all_ops().front().name + " --regressions none --no-save " + options;
}

TEST(RunEnds, AKilledRunIsIncompleteEverywhere) {
  const Scratch scratch;
  const std::string out = scratch.path + "/out";
  ASSERT_EQ(run("assay", check_some("--cases 1 --out " + out)).exit_code, 0);
  ASSERT_TRUE(fs::exists(out + "/junit.xml"));
  run_command(kAssay + check_some("--cases 1000000 --jobs 1 --out " + out) + " & pid=$!; until grep -q running " + out +
              "/run.json && [ -s " + out + "/results.jsonl ] && [ ! -e " + out +
              "/junit.xml ]; do sleep 0.02; done; sleep 0.3; kill -9 $pid; wait $pid");
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(out)) files.push_back(entry.path().filename());
  EXPECT_THAT(files, testing::UnorderedElementsAre("run.json", "results.jsonl")) << "nothing of the run before";
  const Ran report = run("assay", "report --format github " + out);
  EXPECT_EQ(report.exit_code, 3) << report.err;
  EXPECT_THAT(report.out, AllOf(HasSubstr("INCONCLUSIVE: "), HasSubstr("::error title=INCOMPLETE::")));
  for (const char* file : {"junit.xml", "report.html", "results.csv"})
    EXPECT_NE(read_text(out + "/" + file).find("incomplete: "), std::string::npos) << file;
}

// The program is killed while a compiler waits for a pipe that it must include: nothing has run, and no results are
// left from an earlier run.
void expect_no_earlier_run(const std::string& command, const std::string& pipe, const std::string& out) {
  const Scratch scratch;
  run_command("cd " + scratch.path + "; mkfifo " + pipe + "; XDG_CACHE_HOME=$PWD/cache " + kAssay + command +
              " & pid=$!; exec 3>" + pipe + "; kill -9 $pid; wait $pid; rm " + pipe);
  const Ran report = run("assay", "report --junit " + out);
  EXPECT_EQ(report.exit_code, 3) << command << report.out << report.err;
  EXPECT_FALSE(fs::exists(out + "/report.html")) << command;
}

TEST(RunEnds, KilledBeforeItBeginsItLeavesNoEarlierRun) {
  const Scratch scratch;
  const std::string out = scratch.path + "/out", merged = scratch.path + "/merged", ops = scratch.path + "/ops";
  const std::string pipe = ops + "/endless.h";
  ASSERT_EQ(run("assay", "new-op my_op --dir " + ops).exit_code, 0);
  std::ofstream(ops + "/my_op.h", std::ios::app) << "#include \"endless.h\"\n";
  const std::string compiles = " --flags \"-include " + pipe + "\"", ops_compile = " --ops " + ops;
  for (const std::string& command : {"check " + kKernel + compiles, "check" + ops_compile, "bench" + ops_compile,
                                     "nightly " + kKernel + compiles, "merge " + out + ops_compile}) {
    ASSERT_EQ(run("assay", check_some("--cases 1 --out " + out)).exit_code, 0);
    fs::remove_all(merged);
    fs::copy(out, merged);
    expect_no_earlier_run(command + " --out " + merged, pipe, merged);
  }
}

TEST(RunEnds, WhatIsRefusedLeavesTheEarlierRun) {
  const Scratch scratch;
  const std::string out = scratch.path + "/out";
  ASSERT_EQ(run("assay", check_some("--cases 1 --out " + out)).exit_code, 0);
  for (const char* command : {"check no_such_op", "bench no_such_op", "merge no_such_run", "nightly no_such.cu"})
    EXPECT_EQ(run("assay", command + (" --out " + out)).exit_code, 2) << command;
  EXPECT_EQ(run("assay", "report " + out).exit_code, 0);
}

TEST(RunEnds, ABudgetThatRunsOutLeavesItIncomplete) {
  const Scratch scratch;  // and a plan of a billion cases for each variant and dtype is there at once
  const Ran ran = run("assay", check_some("--cases 1000000000 --budget 1s --out " + scratch.path));
  EXPECT_EQ(ran.exit_code, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("time ran out"));
  EXPECT_THAT(read_text(scratch.path + "/run.json"), HasSubstr("\"out of time\""));
  EXPECT_THAT(read_text(scratch.path + "/results.jsonl"), HasSubstr("\"PASS\"")) << "none of it began";
}

// A process that was killed closes its files a little later.
bool loses_its_readers(const std::string& pipe) {
  for (int tries = 0; tries < 500; ++tries) {
    const int writer = open(pipe.c_str(), O_WRONLY | O_NONBLOCK);
    if (writer == -1) return true;
    close(writer);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

// A compiler that waits for ever for a pipe is ended in time, with all that it has started: no process waits any more.
TEST(RunEnds, ACompilerThatDoesNotEndIsEnded) {
  const Scratch scratch;
  const std::string pipe = scratch.path + "/endless.h",
                    flags = " --flags '-include " + pipe + "' --out " + scratch.path;
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_directory(scratch.path + "/ops");
  std::ofstream(scratch.path + "/ops/my_op.h") << "#include \"../endless.h\"\n";
  const auto expect_end = [&](const std::string& command, int exit_code, const std::string& says) {
    const Ran ran = run("assay", command);
    EXPECT_EQ(ran.exit_code, exit_code) << command << ran.out << ran.err;
    EXPECT_THAT(selftest::unwrapped(ran.err), HasSubstr(says)) << command;
    EXPECT_TRUE(loses_its_readers(pipe)) << command << " leaves a compiler";
  };
  const std::string budget_ended = "INCONCLUSIVE: --budget ended before " + kKernel + " was read";
  const std::string check = "check " + kKernel + " --op softmax_forward --no-save" + flags;
  expect_end(check + "/a --budget 1s", 3, budget_ended);
  expect_end("nightly " + kKernel + " --op softmax_forward --seed 1" + flags + "/b --budget 1s", 3, budget_ended);
  expect_end(check + "/a --compile-limit 1s", 2,
             kKernel + " was not read and compiled within 1 s; --compile-limit 10m gives it more");
  expect_end("list ops --compile-limit 1s --ops " + scratch.path + "/ops", 2,
             "assay: " + scratch.path + "/ops/my_op.h was not read and compiled within 1 s");
}

// Reading in this process has no other end.
TEST(RunEnds, ReadingThatDoesNotEndIsEnded) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto read_for_ever = [] {
    const Preparing preparing;
    now_preparing("k.cu");
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  };
  EXPECT_EXIT((limit_compiling(0.01), read_for_ever()), testing::ExitedWithCode(2), "k.cu was not read and compiled");
  EXPECT_EXIT((end_compiling_at(Process::Clock::now()), read_for_ever()), testing::ExitedWithCode(3),
              "--budget ended before k.cu");
}

TEST(RunEnds, LongPreparationSaysThatItGoesOn) {
  testing::internal::CaptureStderr();
  {
    const Preparing preparing(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  {
    const Preparing preparing;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  const std::string said = testing::internal::GetCapturedStderr();
  const std::string word = "s so far for reading, compiling and trying";
  EXPECT_THAT(said, testing::HasSubstr(word));
  EXPECT_LE(std::ranges::count(said, '\n'), 5) << "each time after twice as long: " << said;
}

TEST(RunEnds, AReportOfFailuresFailsAndCountsEachRunOnce) {
  const Scratch scratch;
  const std::string a = scratch.path + "/a", b = scratch.path + "/b", copy = scratch.path + "/copy";
  Report report = sample_report();
  report.info.status = "complete";
  ASSERT_TRUE(write_report(report, a));
  fs::copy(a, copy);
  report.info.seconds = 9;
  ASSERT_TRUE(write_report(report, b));
  const auto together = [&](const std::string& runs) {
    const Ran ran = run("assay", "report --csv --out " + scratch.path + "/all " + runs);
    EXPECT_EQ(ran.exit_code, 1) << ran.err;
    EXPECT_EQ(ran.err.find("it counts once") != std::string::npos, runs != a + " " + b) << ran.err;
    const std::string csv = read_text(scratch.path + "/all/results.csv");
    return std::count(csv.begin(), csv.end(), '\n');
  };
  const auto once = together(a + " " + a);
  EXPECT_EQ(together(a + " " + a + "/../copy"), once);
  EXPECT_GT(together(a + " " + b), once);
  const std::string rows = read_text(a + "/results.jsonl");
  EXPECT_EQ(run("assay", "report " + a + " " + b).exit_code, 1);
  EXPECT_EQ(read_text(a + "/results.jsonl"), rows) << "the rows of the other run are not its own";
}

TEST(RunEnds, TwoRunsInOneFolderAreTwo) {
  const Scratch scratch;
  const std::string out = scratch.path + "/out";
  const Ran ran = run_command(kAssay + check_some("--cases 1000000 --jobs 1 --out " + out) + " & pid=$!; until [ -s " +
                              out + "/results.jsonl ]; do sleep 0.02; done; " + kAssay +
                              check_some("--cases 1 --out " + out) + "; echo code $?; kill -9 $pid; wait $pid");
  EXPECT_THAT(ran.err, HasSubstr("another run is writing to " + out + "; this one goes to " + out + "-2"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("report: " + out + "-2/report.html"), HasSubstr("code 0")));
  EXPECT_THAT(read_text(out + "/run.json"), HasSubstr("--cases 1000000"));
}

TEST(RunEnds, OutputThatIsLostIsNoSuccess) {
  for (const char* end : {" >/dev/full", " >&-"})
    for (const char* words : {"list ops", "--help", "--version"}) {
      const Ran ran = run("assay", words + std::string(end));
      EXPECT_EQ(ran.exit_code, 2) << words << end;
      EXPECT_THAT(ran.err, HasSubstr("assay: cannot write to standard output")) << words << end;
    }
  const Scratch scratch;
  const Ran closed = run("assay", check_some("--cases 1 --out " + scratch.path + "/out >&-"));
  EXPECT_EQ(closed.exit_code, 2);
  EXPECT_EQ(run("assay", "report " + scratch.path + "/out").exit_code, 0) << "the results are whole";
}

TEST(RunEnds, APipeThatIsClosedEarlyEndsItQuietly) {
  for (const char* words : {"list ops", "list variants", "check --help"}) {
    const Ran unread = run_command("{ " + kAssay + words + "; echo code $? >&2; } | true");
    EXPECT_EQ(unread.err, "code 141\n") << words;
    const Ran headed = run_command(kAssay + words + " | head -n 1");
    EXPECT_EQ(headed.exit_code, 0) << words;
    EXPECT_EQ(headed.err, "") << words;
    EXPECT_EQ(std::count(headed.out.begin(), headed.out.end(), '\n'), 1) << words;
  }
}

TEST(RunEnds, ErrorsCutWhatTheyQuote) {
  const Scratch scratch;
  for (const char* words : {"replay", "replay softmax_forward/", "list ops", "check --suite", "list"}) {
    for (const char* text : {"xxxxxxxxxx", "x=1 y='z' "}) {
      const std::string file = scratch.path + "/words";
      std::ofstream(file) << "x";
      for (int i = 0; i < 10'000; ++i) std::ofstream(file, std::ios::app) << text;
      const std::string open = std::string(words).ends_with("/") ? "" : " ";
      const Ran ran = run_command(kAssay + words + open + "\"$(cat " + file + ")\"");
      EXPECT_EQ(ran.exit_code, 2) << words;
      EXPECT_THAT(ran.err, HasSubstr("…")) << words;
      EXPECT_LT(ran.err.size(), 2000u) << words << ": " << ran.err.substr(0, 3000);
    }
  }
}

TEST(RunEnds, PlacesThatCannotBeUsedGetOneLine) {
  const Scratch scratch;
  const std::string longest(300, 'a');
  expect_usage_error(run_command("TMPDIR=/nowhere " + kAssay + "check " + kKernel + " --out " + scratch.path + "/out"),
                     "compiled kernels in /nowhere", "set TMPDIR");
  expect_usage_error(run("assay", check_some("--out " + scratch.path + "/" + longest)), "too long", "shorter name");
  expect_usage_error(run("assay", "check " + longest + ".cu"), "cannot read", "");
  ASSERT_EQ(run_command("mkfifo " + scratch.path + "/pipe.cu").exit_code, 0);
  expect_usage_error(run("assay", "check " + scratch.path + "/pipe.cu"), "cannot read", "");
  expect_usage_error(run("assay", "adapt " + scratch.path + "/pipe.cu"), "no such file", "");
  expect_usage_error(run("assay", "check " + kKernel + " --op " + longest), "no op", "`assay list` shows");
  expect_usage_error(run("assay", "check --suite " + longest), "no suite", "");
  fs::create_directory(scratch.path + "/folder.toml");
  expect_usage_error(run("assay", "check --suite " + scratch.path + "/folder.toml"), "no suite file", "");
  expect_usage_error(run("assay", "new-op " + longest + " --dir " + scratch.path), "too long", "--dir");
  for (const char* place : {"/dev/full", "/nowhere/k.toml"}) {
    const Ran ran = run("assay", "adapt " + kKernel + " --force --out " + place);
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    EXPECT_THAT(ran.err, HasSubstr(std::string("cannot write '") + place));
  }
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  // An unforeseen error is an exception, which is caught once for all.
  expect_usage_error(run_command("mkdir " + scratch.path + "/gone; cd " + scratch.path + "/gone; rmdir ../gone; " +
                                 kAssay + "list ops --ops x"),
                     "absolute path", "a bug of assay");
}

// Sends a signal while the compiler of one front end waits for a pipe that it must include, and so is surely at work. A
// killed process may need a moment to be gone: nobody waits for the compiler's own child. With an adapter and without
// assay_read, whose answer is whole before and would be kept.
void expect_signal_to_end_compilers(const std::string& signal, const std::string& flags) {
  const Scratch scratch;
  fs::copy_file(kKernel, scratch.path + "/k.cu");
  std::ofstream(scratch.path + "/k.toml")
      << "op = \"softmax_forward\"\nsource = \"k.cu\"\ndtypes = [\"f32\"]\n[[launch]]\nentry = "
         "\"softmax_forward_kernel1\"\nargs = [\"y\", \"x\", \"rows\", \"cols\"]\ngrid = [\"ceil_div(rows, "
         "64)\"]\nblock "
         "= [\"64\"]\n";
  const Ran ran = run_command("cd " + scratch.path + "; mkfifo endless.h; mkdir tmp; trap '' PIPE; set -m; " +
                              "ASSAY_WITHOUT=\"$ASSAY_WITHOUT assay_read\" TMPDIR=$PWD/tmp XDG_CACHE_HOME=$PWD/cache " +
                              kAssay + "check k.cu " + flags +
                              " \"-include $PWD/endless.h\" & pid=$!; exec 3>endless.h; ls tmp; kill -" + signal +
                              " $pid; wait $pid; echo code $?; n=0; while echo more >&3; do n=$((n + 1)); "
                              "[ $n -lt 100 ] || { echo a compiler lives on; break; }; sleep 0.02; done");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("assay-kernels-"), HasSubstr("code 3"), Not(HasSubstr("lives on")))) << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("interrupted\n"), Not(HasSubstr("by nvcc's PTX"))));
  std::error_code gone;
  for (const auto& left : fs::directory_iterator(scratch.path + "/tmp", gone)) ADD_FAILURE() << left.path();
  EXPECT_FALSE(fs::exists(scratch.path + "/cache/assay")) << "something was kept";
}

TEST(RunEnds, ASignalEndsTheCompilersAndLeavesNothing) {
  for (const char* signal : {"INT", "TERM"}) expect_signal_to_end_compilers(signal, "--flags");
}

TEST(RunEnds, ASignalEndsNvccAndLeavesNothing) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  for (const char* signal : {"INT", "TERM"}) expect_signal_to_end_compilers(signal, "--via ptx --nvcc-flags");
}

TEST(RunEnds, NamesDoNothingToATerminal) {
  const Scratch scratch;
  const std::string name = "\x1b[31mred\u202e.cu";
  const Ran missing = run("assay", "check '" + name + "'");
  EXPECT_THAT(missing.err, HasSubstr("\\x1b[31mred\\xe2\\x80\\xae.cu"));
  std::ofstream(scratch.path + "/" + name) << read_text(kKernel);
  const Ran adapted = run("assay", "adapt '" + scratch.path + "/" + name + "'");
  EXPECT_THAT(adapted.out, HasSubstr("\\x1b[31mred"));
  for (const Ran& ran : {missing, adapted})
    EXPECT_THAT(ran.out + ran.err, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\u202e"))));
}

}  // namespace
}  // namespace assay
