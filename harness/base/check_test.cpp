// Failed checks print where, what and during which case, and end the process by a signal.
#include "harness/base/check.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

void fail_in(const std::string& case_line) {
  set_current_case(case_line);
  ASSAY_CHECK(1 + 1 == 3, "arithmetic holds");
}

TEST(CheckDeathTest, PrintsTheConditionAndTheRunningCase) {
  EXPECT_EXIT(fail_in("some_op/some_variant f32 n=1"), testing::KilledBySignal(SIGABRT),
              "check_test.cpp:[0-9]+: arithmetic holds \\(1 \\+ 1 == 3\\); case: some_op/some_variant f32 n=1");
}

TEST(CheckDeathTest, WithoutACaseItPrintsNone) {
  EXPECT_EXIT(fail_in(""), testing::KilledBySignal(SIGABRT), "\\(1 \\+ 1 == 3\\)\n");
}

TEST(Check, ALongCaseLineIsCutAndNotOverrun) {
  set_current_case(std::string(5000, 'x'));
  EXPECT_EQ(std::string(current_case()), std::string(1023, 'x'));
  set_current_case("short");
  EXPECT_STREQ(current_case(), "short");
  set_current_case("");
}

}  // namespace
}  // namespace assay
