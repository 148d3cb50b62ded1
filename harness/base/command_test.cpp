// Words, output, exit codes and variables of commands.
#include "harness/base/command.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

TEST(Command, KeepsWordsAndOutput) {
  const auto ran = run_command({"/bin/sh", "-c", "printf '%s|' \"$@\"; echo err >&2", "sh", "a b", "$(id)", "';"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.output, "a b|$(id)|';|err\n");
}

TEST(Command, HasAnExitCode) {
  EXPECT_EQ(run_command({"/bin/sh", "-c", "exit 7"}).exit_code, 7);
  EXPECT_EQ(run_command({"/bin/sh", "-c", "kill -9 $$"}).exit_code, 128 + 9);
  const auto none = run_command({"/nowhere/program"});
  EXPECT_EQ(none.exit_code, 127);
  EXPECT_THAT(none.output, testing::HasSubstr("/nowhere/program: No such file"));
}

TEST(Command, AddsVariables) {
  setenv("ASSAY_COMMAND_TEST", "old", 1);
  EXPECT_EQ(run_command({"/bin/sh", "-c", "echo $ASSAY_COMMAND_TEST"}).output, "old\n");
  EXPECT_EQ(run_command({"/bin/sh", "-c", "echo $ASSAY_COMMAND_TEST"}, {{"ASSAY_COMMAND_TEST", "new"}}).output,
            "new\n");
}

}  // namespace
}  // namespace assay
