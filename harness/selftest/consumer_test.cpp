// The installed package, from a user's side: a project that finds it has a test for each kernel file, which passes,
// fails with the case once the kernel is broken, and is refused when its arguments are wrong.
#include <gmock/gmock.h>

#include <set>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Ran;
using selftest::run_command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// An installation that was moved after it was made, and a copy of the consumer.
class Consumer : public selftest::OneInFour<> {
 protected:
  static void SetUpTestSuite() {
    scratch_ = std::make_unique<selftest::Scratch>();
    const std::string made = scratch_->path + "/made";
    const auto installed = run_command("cmake --install " ASSAY_BUILD_DIR " --prefix " + made);
    ASSERT_EQ(installed.exit_code, 0) << installed.err;
    fs::rename(made, prefix());
    fs::copy(ASSAY_SOURCE_DIR "/harness/selftest/consumer", source(), fs::copy_options::recursive);
  }
  static void TearDownTestSuite() { scratch_.reset(); }

  static std::string prefix() { return scratch_->path + "/moved"; }
  static std::string source() { return scratch_->path + "/consumer"; }
  static Ran configure(const std::string& from) {
    return run_command("cmake -S " + from + " -B " + from + "/build -DCMAKE_PREFIX_PATH=" + prefix());
  }
  static Ran ctest(const std::string& pattern) {
    return run_command("ctest --test-dir " + source() + "/build --output-on-failure -L assay -R " + pattern);
  }
  // The output of configuring a project that makes one call.
  static std::string refusal(const std::string& arguments) {
    const std::string project = scratch_->path + "/refused";
    fs::create_directories(project);
    std::ofstream(project + "/a.cu") << "\n";
    std::ofstream(project + "/a.toml") << "source = 'other.cu'\n";
    std::ofstream(project + "/CMakeLists.txt")
        << "cmake_minimum_required(VERSION 3.25)\nproject(refused LANGUAGES NONE)\nenable_testing()\n"
        << "find_package(Assay REQUIRED)\nassay_add_kernels(mine " << arguments << ")\n";
    const auto configured = configure(project);
    EXPECT_NE(configured.exit_code, 0) << arguments;
    std::string text = configured.err;  // CMake wraps its messages
    for (size_t at = 0; (at = text.find("\n  ", at)) != std::string::npos;) text.replace(at, 3, " ");
    return text;
  }

 private:
  static inline std::unique_ptr<selftest::Scratch> scratch_;
};

TEST_F(Consumer, PassesAndFailsWithTheCaseOnceAKernelIsBroken) {
  const auto configured = configure(source());
  ASSERT_EQ(configured.exit_code, 0) << configured.err;
  const auto built = run_command("cmake --build " + source() + "/build");
  ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
  const auto sound = ctest(".");
  EXPECT_EQ(sound.exit_code, 0) << sound.out;
  EXPECT_THAT(sound.out, AllOf(HasSubstr("softmax.softmax_rows"), HasSubstr("transpose.tiles"),
                               HasSubstr("allocates.leak"), HasSubstr("100% tests passed, 0 tests failed out of 4")));
  EXPECT_TRUE(fs::exists(source() + "/build/assay/transpose.tiles/report.html"));

  ASSERT_EQ(run_command("sed -i 's/- partial\\[0\\]/+ partial[0]/' " + source() + "/softmax_rows.cu").exit_code, 0);
  const auto broken = ctest("softmax");
  EXPECT_NE(broken.exit_code, 0);
  EXPECT_THAT(broken.out, HasSubstr("MISMATCH  softmax_backward/softmax_rows_backward f32 rows="));
  EXPECT_THAT(broken.out, HasSubstr("replay: assay replay 'softmax_backward/softmax_rows_backward "));
  EXPECT_FALSE(fs::is_empty(source() + "/build/assay/softmax.softmax_rows/regressions"));
  std::set<std::string> beside;
  for (const auto& entry : fs::directory_iterator(source())) beside.insert(entry.path().filename());
  EXPECT_THAT(beside, testing::ElementsAre("CMakeLists.txt", "adapters", "allocates.cpp", "build", "softmax_rows.cu",
                                           "softmax_rows.toml", "tiles.cu"));
}

TEST_F(Consumer, WrongArgumentsEndTheConfiguration) {
  EXPECT_THAT(refusal("FILES b.cu OP softmax_backward"), HasSubstr("assay_add_kernels(mine): there is no file"));
  EXPECT_THAT(refusal("FILES a.cu OP softmax_backwards"), HasSubstr("there is no op 'softmax_backwards'; known are"));
  EXPECT_THAT(refusal("FILES a.cu"), HasSubstr("OP is missing"));
  EXPECT_THAT(refusal("OP softmax_backward"), HasSubstr("FILES is missing"));
  EXPECT_THAT(refusal("FILES a.cu OP softmax_backward CASE 20"), HasSubstr("unknown arguments: CASE;20"));
  EXPECT_THAT(refusal("FILES a.cu OP softmax_backward CASES"), HasSubstr("these need a value: CASES"));
  EXPECT_THAT(refusal("FILES a.cu OP softmax_backward CHECKED DEVICE cpu"), HasSubstr("leave out DEVICE"));
  EXPECT_THAT(refusal("FILES a.cu OP softmax_backward ADAPTER b.toml"), HasSubstr("there is no adapter"));
  EXPECT_THAT(refusal("FILES a.cu OP softmax_backward ADAPTER a.toml"), HasSubstr("is not for"));
}

TEST_F(Consumer, AnAdapterIsForItsOwnOpOnly) {
  const auto ran = run_command(prefix() + "/bin/assay check " + source() + "/softmax_rows.toml --op rope");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, HasSubstr("softmax_rows.toml is for softmax_backward, not for rope; leave out --op"));
}

TEST_F(Consumer, SuitesOfTheProjectComeBesideTheInstalledOnes) {
  fs::create_directories(source() + "/cases");
  for (const char* name : {"ci", "own"}) std::ofstream(source() + "/cases/" + name + ".toml") << "about = 'ours'\n";
  const auto listed = run_command("cd " + source() + " && " + prefix() + "/bin/assay list suites");
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out, AllOf(HasSubstr("ours (cases/ci.toml)"), HasSubstr("ours (cases/own.toml)"),
                                HasSubstr(prefix() + "/share/assay/cases/kernel.toml"),
                                Not(HasSubstr(prefix() + "/share/assay/cases/ci.toml"))));
}

// The package may not lead back to the folders that it was made in, which a user does not have.
TEST_F(Consumer, HoldsNoPathOfItsBuild) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(prefix())) {
    const std::string path = entry.path();
    if (!entry.is_regular_file() || entry.path().filename() == "kernel_resources.txt") continue;
    const std::string text = selftest::read_text(path);
    if (text.starts_with("\x7f"
                         "ELF"))
      continue;  // debug information may name sources
    ++files;
    for (const std::string held : {ASSAY_SOURCE_DIR "/", ASSAY_SOURCE_DIR "\""})
      EXPECT_EQ(text.find(held), std::string::npos) << path << " holds " << held;
  }
  EXPECT_GT(files, 50);
  const auto libraries = run_command("ldd " + prefix() + "/bin/assay");
  EXPECT_THAT(libraries.out, AllOf(HasSubstr(prefix() + "/bin/../lib/assay/libassay_core.so"),
                                   Not(HasSubstr("not found")), Not(HasSubstr(ASSAY_BUILD_DIR))));
}

}  // namespace
}  // namespace assay
