// A place that cannot be used is said before a kernel is compiled: here none would compile.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/cli/test_usage_error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::expect_usage_error;
using selftest::run;
using selftest::Scratch;

TEST(Places, AreTriedBeforeAnythingIsCompiled) {
  const Scratch scratch;
  const std::string kernel = scratch.path + "/broken.cu", op = " --ops " + scratch.path + "/ops";
  std::ofstream(kernel) << "#error compiled\n";
  fs::create_directory(scratch.path + "/ops");
  std::ofstream(scratch.path + "/ops/mine.h") << "#error compiled\n";
  std::ofstream(scratch.path + "/file") << "";
  const std::string none = "/proc/none", below = scratch.path + "/file/below", out = " --out " + scratch.path + "/out";
  const std::string check = "check " + kernel + " --op mine" + op;
  for (const std::string& folder : {none, below}) {
    expect_usage_error(run("assay", check + " --out " + folder), "cannot write '" + folder, "--out");
    expect_usage_error(run("assay", check + out + " --regressions " + folder), "cannot write '" + folder,
                       "--regressions");
    expect_usage_error(run("assay", check + out + " --save-to " + folder), "cannot write '" + folder, "--save-to");
    expect_usage_error(run("assay", check + " --resume " + folder), "no run in '" + folder, "--resume");
    expect_usage_error(run("assay", "bench --resume " + folder + op), "no run in '" + folder, "--resume");
    expect_usage_error(run("assay", "merge " + folder + op + out), "no run in '" + folder, "");
    expect_usage_error(run("assay", "merge " + scratch.path + op + out + " --save-to " + folder),
                       "cannot write '" + folder, "--save-to");
    expect_usage_error(run("assay", "nightly " + kernel + op + out + " --db " + folder + "/h.db"),
                       "cannot write '" + folder, "--db");
  }
  expect_usage_error(run("assay", "nightly " + op + out + " --db " + scratch.path), "is a folder", "--db");
  expect_usage_error(run("assay", check + out + " -I " + none), "-I: there is no folder '" + none + "'",
                     "give one with headers");
  EXPECT_FALSE(fs::exists(scratch.path + "/out"));
}

TEST(Places, ThatCanBeMadeAreNoErrorAndNothingIsLeft) {
  const Scratch scratch;
  const std::string kernel = scratch.path + "/broken.cu";
  std::ofstream(kernel) << "#error compiled\n";
  const auto ran = run("assay", "check " + kernel + " --op gelu_forward --out " + scratch.path + "/out --save-to " +
                                    scratch.path + "/a/b");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, testing::Not(testing::HasSubstr("cannot write")));
  EXPECT_FALSE(fs::exists(scratch.path + "/a"));
}

}  // namespace
}  // namespace assay
