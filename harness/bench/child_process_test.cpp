// Processes that answer, die, hang, and are stopped.
#include "harness/bench/child_process.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using How = ChildEnd::How;

struct Ran {
  ChildEnd end;
  std::vector<std::string> lines;
};

Ran shell(const std::string& script, double limit_s = 20, const std::atomic<bool>* stop = nullptr) {
  Ran ran;
  ran.end = run_child(
      "/bin/sh", {"-c", script}, [&](const std::string& line) { ran.lines.push_back(line); },
      std::chrono::duration<double>(limit_s), stop);
  return ran;
}

TEST(ChildProcess, HandsOverEveryLine) {
  const Ran ran = shell("echo one; echo; seq 1 20000");
  EXPECT_EQ(ran.end.how, How::done);
  ASSERT_EQ(ran.lines.size(), 20002u);
  EXPECT_EQ(ran.lines[0], "one");
  EXPECT_EQ(ran.lines.back(), "20000");
}

TEST(ChildProcess, ACrashKeepsTheLinesBeforeIt) {
  const Ran ran = shell("echo before; echo why >&2; kill -SEGV $$");
  EXPECT_EQ(ran.end.how, How::crashed);
  EXPECT_THAT(ran.end.detail, testing::AllOf(testing::HasSubstr("signal 11"), testing::EndsWith(": why")));
  EXPECT_THAT(ran.lines, testing::ElementsAre("before"));
  EXPECT_THAT(shell("exit 3").end.detail, testing::HasSubstr("status 3"));
}

TEST(ChildProcess, AHangEndsAtTheLimit) {
  const auto start = std::chrono::steady_clock::now();
  const Ran ran = shell("echo before; exec sleep 60", 0.3);
  EXPECT_EQ(ran.end.how, How::timed_out);
  EXPECT_THAT(ran.end.detail, testing::HasSubstr("not done after 0.3 s"));
  EXPECT_THAT(ran.lines, testing::ElementsAre("before"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(ChildProcess, StopsSoonAfterCtrlC) {
  const std::atomic<bool> stop{true};
  EXPECT_EQ(shell("exec sleep 60", 100, &stop).end.how, How::stopped);
}

}  // namespace
}  // namespace assay
