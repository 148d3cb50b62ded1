// `assay replay FOLDER`: which saved failures are repaired, and that those stay tests.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/cli/test_usage_error.h"
#include "harness/selftest/as_found.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::expect_usage_error;
using selftest::Ran;
using selftest::run;
using selftest::Scratch;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRight = "transpose_2d/elementwise f32 rows=3 cols=5 fill=normal seed=1 block=64 schedule=0\n";
constexpr const char* kWrong =
    "softmax_forward/tail_dropped f32 rows=1 cols=33 fill=normal seed=1 block=32 schedule=0\n";

class ReplayFolder : public selftest::OneInFour<> {
 protected:
  ReplayFolder() { fs::create_directories(regressions()); }
  std::string regressions() const { return scratch_.path + "/regressions"; }
  std::string fixed() const { return scratch_.path + "/fixed"; }
  static Ran replay(const std::string& words) { return run("assay_selftest", "replay " + words); }
  static void save(const std::string& path, const std::string& line) { std::ofstream(path) << "# why\n" << line; }
  Scratch scratch_;
};

TEST_F(ReplayFolder, MovesWhatIsFixedWhereItStaysATest) {
  const Ran nothing = replay(regressions());
  EXPECT_EQ(nothing.exit_code, 3) << "nothing was judged";
  EXPECT_THAT(nothing.out, HasSubstr("holds no saved failure"));
  save(regressions() + "/right.case", kRight);
  save(regressions() + "/wrong.case", kWrong);
  save(regressions() + "/gone.case", "transpose_2d/nobody f32 rows=3 cols=5 fill=normal seed=1\n");
  const Ran told = replay(regressions());
  EXPECT_EQ(told.exit_code, 1) << told.err;
  EXPECT_THAT(told.out, AllOf(HasSubstr("FIXED  " + regressions() + "/right.case: --move-fixed moves it to " + fixed()),
                              HasSubstr("gone.case: this build has no variant transpose_2d/nobody for cpu"),
                              Not(HasSubstr("FIXED  " + regressions() + "/wrong.case"))));
  EXPECT_TRUE(fs::exists(regressions() + "/right.case")) << "nobody asked to move it";
  EXPECT_EQ(replay("--move-fixed " + regressions()).exit_code, 1);
  EXPECT_FALSE(fs::exists(regressions() + "/right.case"));
  ASSERT_TRUE(fs::exists(fixed() + "/right.case"));

  const Ran check = run("assay_selftest", "check transpose_2d/elementwise --cases 0 --no-save --regressions " +
                                              regressions() + " --out " + scratch_.path + "/out");
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("PASSED: ")) << "the check still runs it";
  EXPECT_EQ(replay(fixed()).exit_code, 0);
  save(fixed() + "/again.case", kWrong);
  const Ran again = replay(regressions() + " " + fixed());
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.out, HasSubstr("CAME BACK  " + fixed() + "/again.case"));
}

// Each failure lies beside its own file, where a later check of that file finds it, and a replay of all.
TEST_F(ReplayFolder, OfSeveralFilesEachHasItsOwn) {
  selftest::take_as_found("python_rms_norm.py", scratch_.path, false);
  selftest::take_as_found("plain_c_softmax.cu", scratch_.path, true);
  const std::string here = scratch_.path + "/", saved = here + "assay_regressions";
  const std::string options = " --device cpu --out " + here + "out";
  const Ran check =
      run("assay", "check " + here + "plain_c_softmax.cu " + here + "python_rms_norm.toml --cases 3" + options);
  EXPECT_EQ(check.exit_code, 1) << check.err;
  EXPECT_FALSE(fs::exists(saved + "/plain_c_softmax.cu")) << "nothing of it fails";
  ASSERT_TRUE(fs::exists(saved + "/python_rms_norm.toml")) << check.err;

  const Ran again = run("assay", "check " + here + "python_rms_norm.toml --cases 0 --no-save" + options);
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
  const Ran all = run("assay", "replay " + saved);
  EXPECT_EQ(all.exit_code, 1) << all.out << all.err;
  EXPECT_THAT(all.out, AllOf(HasSubstr("MISMATCH  rms_norm_forward/"), Not(HasSubstr("SKIPPED"))));
}

TEST_F(ReplayFolder, MistakesNameTheFile) {
  save(regressions() + "/bad.case", "softmax_forward/nobody f32 rows=\n");
  expect_usage_error(replay(regressions()), "bad.case: ", "");
}

}  // namespace
}  // namespace assay
