// Less than the program would like: what is missing is named, and no kernel is accused.
#include <gmock/gmock.h>

#include "harness/selftest/run_program.h"
#include "harness/simt/runtime/build_kind.h"

namespace assay {
namespace {

using testing::HasSubstr;

selftest::Ran run_under(const std::string& limit, const std::string& arguments) {
  return selftest::run_command("ulimit " + limit + "; exec " ASSAY_BUILD_DIR "/assay " + arguments);
}

constexpr const char* kCase =
    "replay 'softmax_forward/warp_per_row f32 rows=3 cols=40 fill=normal seed=1 block=64' --checked";

TEST(Limits, AFewGigabytesOfAddressesAreEnough) {
  if (kAddressSanitizer) GTEST_SKIP() << "it needs terabytes itself";
  const auto ran = run_under("-v 2000000", kCase);
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

TEST(Limits, WithoutAddressesTheCheckedBuildIsNotHere) {
  if (kAddressSanitizer) GTEST_SKIP() << "it needs terabytes itself";
  const auto ran = run_under("-v 500000", kCase);
  EXPECT_EQ(ran.exit_code, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("device cpu-checked is not here: it needs 900 MB of address space"));
  const selftest::Scratch scratch;
  const auto check = run_under("-v 500000", "check softmax_forward/warp_per_row --cases 1 --no-save --out " +
                                                scratch.path + selftest::small_suite(scratch));
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
  EXPECT_THAT(check.err, HasSubstr("device cpu-checked is not here, its cases are skipped: "));
  EXPECT_THAT(check.out, HasSubstr("PASSED: 3 of 6 cases not judged; 3 cases passed, none failed"));
}

TEST(Limits, MoreWorkersThanOpenFilesAreRefused) {
  const auto ran = run_under("-n 62", "check softmax_forward -j 100 --cases 9");
  EXPECT_EQ(ran.exit_code, 2) << ran.out;
  EXPECT_THAT(ran.err, HasSubstr("-j 100 needs more open files than are allowed; use -j 10 at most"));
}

}  // namespace
}  // namespace assay
