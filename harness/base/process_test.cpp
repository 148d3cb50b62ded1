// Processes that end in every way, print more than a pipe holds, leave children behind, and do not read.
#include "harness/base/process.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "harness/base/command.h"
#include "harness/base/descendants.h"

namespace assay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using How = ProcessResult::How;

ProcessSpec shell(const std::string& script) { return {.words = {"/bin/sh", "-c", script}}; }

ProcessResult run(const ProcessSpec& spec, const RunOptions& options = {}) {
  auto ran = run_process(spec, options);
  EXPECT_TRUE(ran) << ran.error().line();
  return ran ? std::move(*ran) : ProcessResult{};
}
ProcessResult run(const std::string& script, const RunOptions& options = {}) { return run(shell(script), options); }

// Whether process `pid` is gone, or soon.
bool ends(pid_t pid) {
  for (int i = 0; i < 500; ++i) {
    if (kill(pid, 0) != 0) return true;
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");  // a zombie whose parent does not look is dead
    std::string number, name, state;
    if (stat >> number >> name >> state && state == "Z") return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

TEST(Process, SaysHowItEnded) {
  EXPECT_TRUE(run("exit 0").end.ok());
  const ProcessEnd status = run("exit 7").end, killed = run("kill -SEGV $$").end;
  EXPECT_EQ(status.exit_code, 7);
  EXPECT_EQ(status.signal, 0);
  EXPECT_EQ(status.shell_code(), 7);
  EXPECT_EQ(status.text(), "the process exited with status 7");
  EXPECT_EQ(killed.signal, SIGSEGV);
  EXPECT_EQ(killed.shell_code(), 128 + SIGSEGV);
  EXPECT_FALSE(killed.ok());
  EXPECT_THAT(killed.text(), HasSubstr("killed by signal 11 ("));
}

TEST(Process, SaysHowItEndedWhereOurParentIgnoresChildren) {
  signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(run("exit 7").end.exit_code, 7);
  signal(SIGCHLD, SIG_DFL);
}

TEST(Process, AProgramThatIsNotThereIsAnError) {
  const auto none = run_process({.words = {"/nowhere/program"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().line(), "cannot start /nowhere/program: No such file or directory");
  EXPECT_FALSE(run_process({.words = {"assay-no-such-program"}}));
  EXPECT_THAT(run_process({.words = {"/etc/passwd"}}).error().line(), HasSubstr("Permission denied"));
  EXPECT_THAT(run_process({.words = {"true"}, .folder = "/nowhere"}).error().line(), HasSubstr("true in /nowhere"));
  EXPECT_THAT(run_process({.words = {"true"}, .input = Redirect::file("/nowhere/x")}).error().line(),
              HasSubstr("cannot open /nowhere/x"));
}

TEST(Process, WithoutDescriptorsLeftIsAnError) {
  const auto starts_without_descriptors = [] {
    const rlimit few{6, 6};
    setrlimit(RLIMIT_NOFILE, &few);
    const auto process = Process::start({.words = {"true"}});
    return process ? 1 : process.error().line().find("ulimit -n") == std::string::npos ? 2 : 0;
  };
  EXPECT_EQ(run(ProcessSpec{.body = starts_without_descriptors}).end.exit_code, 0);
}

TEST(Process, IsLookedUpOnThePath) {
  EXPECT_EQ(find_program("/a/b"), "/a/b");
  EXPECT_THAT(find_program("sh"), testing::EndsWith("/sh"));
  EXPECT_EQ(find_program("assay-no-such-program"), "");
  EXPECT_TRUE(run(ProcessSpec{.words = {"true"}}).end.ok());
}

TEST(Process, KeepsItsTwoStreamsApartOrMergesThem) {
  const ProcessResult apart = run("echo out; echo err >&2");
  EXPECT_EQ(apart.output, "out\n");
  EXPECT_EQ(apart.errors, "err\n");
  ProcessSpec spec = shell("echo one; echo two >&2; echo three");
  spec.errors = Redirect::merged();
  EXPECT_EQ(run(spec).output, "one\ntwo\nthree\n");
}

TEST(Process, ReadsAndWritesFiles) {
  const std::string folder = testing::TempDir() + "assay_process_" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/in") << "text";
  ProcessSpec spec = shell("cat; pwd; echo err >&2");
  spec.folder = folder;
  spec.input = Redirect::file(folder + "/in");
  spec.output = Redirect::file(folder + "/out");
  EXPECT_EQ(run(spec).errors, "err\n");
  std::ifstream out(folder + "/out");
  std::string line;
  EXPECT_TRUE(std::getline(out, line) && line == "text" + std::filesystem::canonical(folder).string()) << line;
  std::filesystem::remove_all(folder);
}

TEST(Process, KeepsWordsAsTheyAre) {
  const ProcessSpec spec{.words = {"/bin/sh", "-c", "printf '%s|' \"$@\"", "sh", "a b", "$(id)", "';"}};
  EXPECT_EQ(run(spec).output, "a b|$(id)|';|");
}

TEST(Process, HasOurVariablesAndItsOwn) {
  setenv("ASSAY_PROCESS_TEST", "ours", 1);
  setenv("ASSAY_PROCESS_TEST_2", "kept", 1);
  ProcessSpec spec = shell("echo \"$ASSAY_PROCESS_TEST|$ASSAY_PROCESS_TEST_2\"");
  EXPECT_EQ(run(spec).output, "ours|kept\n");
  spec.environment = {{"ASSAY_PROCESS_TEST", "a = \"b\"\n"}};
  EXPECT_EQ(run(spec).output, "a = \"b\"\n|kept\n");
}

TEST(Process, PrintsMoreThanAPipeHoldsOnBothStreams) {
  const ProcessResult ran = run("head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2; head -c 1000000 /dev/zero");
  EXPECT_EQ(ran.output.size(), 4'000'000u);
  EXPECT_EQ(ran.errors.size(), 2'000'000u);
}

TEST(Process, IsFedMoreThanAPipeHolds) {
  const std::string text(3'000'000, 'x');
  EXPECT_EQ(run("cat", {.input = text}).output, text);
}

TEST(Process, ThatDoesNotReadDoesNotEndUs) {
  const std::string text(3'000'000, 'x');
  EXPECT_EQ(run("exec <&-; sleep 0.1; exit 3", {.input = text}).end.exit_code, 3);
  auto process = Process::start({.words = {"true"}, .input = Redirect::pipe()});
  ASSERT_TRUE(process);
  EXPECT_FALSE(process->write(text));
  EXPECT_EQ(process->input_fd(), -1);
  EXPECT_TRUE(process->wait().ok());
}

TEST(Process, HandsOverThousandsOfLinesAsTheyCome) {
  std::vector<std::string> lines;
  const auto take_lines = [&](ProcessOutput& output) {
    while (auto line = output.next_line()) lines.push_back(std::move(*line));
  };
  const ProcessResult ran = run("seq 1 200000; echo; printf rest", {.on_output = take_lines});
  ASSERT_EQ(lines.size(), 200'001u);
  EXPECT_EQ(lines[199'999], "200000");
  EXPECT_EQ(lines.back(), "");
  EXPECT_EQ(ran.output, "rest");
}

TEST(Process, RemembersTheLastLine) {
  auto process = Process::start(shell("echo first; echo 'the last'; echo; echo ' '"));
  ASSERT_TRUE(process);
  EXPECT_EQ(process->output().last_line(), "");
  process->wait();
  process->output().read_some();
  EXPECT_EQ(process->output().last_line(), "the last");
  EXPECT_EQ(process->output().next_line(), "first");
  EXPECT_EQ(process->output().take(), "the last\n\n \n");
}

TEST(Process, IsKilledAtItsLimitWithWhatItStarted) {
  const auto start = Process::Clock::now();
  const ProcessResult ran = run("sleep 100 & echo $!; wait", {.limit = milliseconds(200)});
  EXPECT_EQ(ran.how, How::timed_out);
  EXPECT_EQ(ran.end.signal, SIGKILL);
  EXPECT_LT(Process::Clock::now() - start, seconds(20));
  EXPECT_TRUE(ends(std::stoi(ran.output)));
}

TEST(Process, LeavesNothingBehindWhenItEndsByItself) {
  const auto start = Process::Clock::now();
  const ProcessResult ran = run("sleep 100 & echo $!");  // it holds the pipes open
  EXPECT_EQ(ran.how, How::ended);
  EXPECT_TRUE(ran.end.ok());
  EXPECT_LT(Process::Clock::now() - start, seconds(20));
  EXPECT_TRUE(ends(std::stoi(ran.output)));
}

TEST(Process, HasALimitAfterItsStreamsAreClosedToo) {
  EXPECT_EQ(run("exec >&- 2>&-; exec sleep 100", {.limit = milliseconds(200)}).how, How::timed_out);
}

TEST(Process, IsKilledWithItsObjectAndOnDemand) {
  pid_t pid = -1;
  {
    const auto process = Process::start(shell("exec sleep 100"));
    ASSERT_TRUE(process);
    pid = process->pid();
    EXPECT_FALSE(kill(pid, 0));
  }
  EXPECT_TRUE(ends(pid));
  const std::atomic<bool> stop{true};
  EXPECT_EQ(run("exec sleep 100", {.stop = &stop}).how, How::stopped);
}

TEST(Process, IsWaitedForUpToATime) {
  auto process = Process::start({.words = {"cat"}, .input = Redirect::pipe()});
  ASSERT_TRUE(process);
  EXPECT_FALSE(process->wait_until(Process::Clock::now() + milliseconds(20)));
  process->close_input();
  const auto end = process->wait_until(Process::Clock::now() + seconds(20));
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->ok());
  EXPECT_TRUE(process->wait().ok()) << "the same again";
}

// A daemon: in a session of its own, and nobody's child but the adopter's.
TEST(Process, EndsDaemonsOfItsChildren) {
  const auto adopts = [] {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const ProcessResult ran = run("setsid sleep 100 >/dev/null 2>&1 & echo $!");
    end_descendants();
    return kill(std::stoi(ran.output), 0) == 0 ? 1 : 0;
  };
  EXPECT_EQ(run(ProcessSpec{.body = adopts}).end.exit_code, 0);
}

// A parent that is killed in the middle: its child says its number, then outlives it or not.
TEST(Process, DiesWithItsParent) {
  auto parent = Process::start({.body = [] {
    const auto child = Process::start(shell("exec sleep 100"));
    const std::string line = std::to_string(child->pid()) + "\n";
    if (write(STDOUT_FILENO, line.data(), line.size()) < 0) return 1;
    pause();
    return 0;
  }});
  ASSERT_TRUE(parent);
  std::optional<std::string> line;
  while (!(line = parent->output().next_line()) && parent->output().read_some()) usleep(1000);
  ASSERT_TRUE(line);
  kill(parent->pid(), SIGKILL);
  EXPECT_TRUE(ends(std::stoi(*line)));
}

TEST(Process, RunsAFunctionOfThisProgram) {
  const int answer = 42;
  const auto body = [&] {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, "from it", 7);
    return answer;
  };
  const ProcessResult ran = run(ProcessSpec{.body = body});
  EXPECT_EQ(ran.end.exit_code, 42);
  EXPECT_EQ(ran.errors, "from it");
  const auto throws = []() -> int { throw std::runtime_error("a reason"); };
  const ProcessResult thrown = run(ProcessSpec{.body = throws});
  EXPECT_EQ(thrown.end.signal, SIGABRT);
  EXPECT_THAT(thrown.errors, HasSubstr("a reason"));
}

}  // namespace
}  // namespace assay
