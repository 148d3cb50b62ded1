// For tests of the command line: the look of an error that a user can cause.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "harness/selftest/run_program.h"

namespace assay::selftest {

// One line on standard error, which says what is wrong and what to do, and exit code 2.
inline void expect_usage_error(const Ran& ran, const std::string& what, const std::string& hint) {
  EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_THAT(ran.err,
              testing::AllOf(testing::StartsWith("assay: "), testing::HasSubstr(what), testing::HasSubstr(hint)));
}

}  // namespace assay::selftest
