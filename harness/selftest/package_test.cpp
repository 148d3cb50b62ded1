// The Debian package that scripts/package makes: what it depends on, what is in it, that nothing in it leads back to
// where it was built, and that it runs from where it is unpacked. scripts/try_package installs one.
//
// One test, because ctest would pack once for each.
#include <gmock/gmock.h>

#include "harness/base/process.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::run_command;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

void expect_dependencies(const std::string& package) {
  const auto field = [&](const std::string& name) {
    return run_command("dpkg-deb --field " + package + " " + name).out;
  };
  EXPECT_EQ(field("Package"), "assay\n");
  EXPECT_EQ("assay " + field("Version"), selftest::run("assay", "--version").out);
  const std::string depends = ", " + field("Depends");
  for (const char* linked : {"libc6", "libdw1", "libfmt", "libsqlite3-0", "libstdc++6"})
    EXPECT_THAT(depends, HasSubstr(std::string(", ") + linked));
  EXPECT_THAT(depends, AllOf(AnyOf(HasSubstr(", g++"), HasSubstr(", clang")), HasSubstr(", libfmt-dev"),
                             HasSubstr(", libexpected-dev")));
}

void expect_files(const std::string& usr) {
  for (const char* file :
       {"bin/assay", "lib/assay/libassay_core.so", "lib/assay/assay_finish", "lib/cmake/Assay/AssayConfig.cmake",
        "share/assay/kernel_build.json", "share/assay/cases/ci.toml", "share/bash-completion/completions/assay",
        "share/zsh/vendor-completions/_assay", "share/fish/vendor_completions.d/assay.fish",
        "share/man/man1/assay.1.gz", "share/man/man1/assay-check.1.gz", "share/doc/assay/copyright",
        "share/doc/assay/changelog.gz", "share/doc/assay/CHANGELOG.md", "share/doc/assay/licenses/nlohmann-json3-dev"})
    EXPECT_TRUE(fs::exists(usr + "/" + file)) << file;
}

// Programs are judged by their headers: messages and the debug information of kernels name sources, as nvcc does.
void expect_no_path_of_the_build(const std::string& root) {
  const std::string magic =
      "\x7f"
      "ELF";
  int programs = 0, texts = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string path = entry.path(), name = entry.path().filename();
    if (!entry.is_regular_file() || name == "kernel_resources.txt") continue;
    std::string text = selftest::read_text(path);
    const bool is_program = text.starts_with(magic);
    if (is_program) {
      text = run_command("readelf --wide --dynamic --sections " + path).out;
      EXPECT_EQ(text.find(".debug_line") != std::string::npos, name.starts_with("libkernels_")) << path;
    }
    EXPECT_THAT(text, AllOf(Not(HasSubstr(ASSAY_SOURCE_DIR)), Not(HasSubstr(ASSAY_BUILD_DIR)))) << path;
    ++(is_program ? programs : texts);
  }
  EXPECT_GE(programs, 6);
  EXPECT_GT(texts, 50);
}

void expect_to_run(const std::string& usr) {
  const auto ran = run_command("cd / && env -i " + usr + "/bin/assay list suites && ldd " + usr + "/bin/assay");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr(usr + "/share/assay/cases/ci.toml"),
                             HasSubstr(usr + "/bin/../lib/assay/libassay_core.so"), Not(HasSubstr("not found"))));
}

class Package : public selftest::OneInFour<> {};

TEST_F(Package, IsWholeAndLeadsNowhereElse) {
  for (const char* program : {"cpack", "dpkg-deb", "dpkg-shlibdeps", "file"})
    if (find_program(program).empty())
      GTEST_SKIP() << "no " << program << ": run 'apt-get install cmake dpkg-dev file'";
  const selftest::Scratch scratch;
  const std::string package = scratch.path + "/assay.deb", root = scratch.path + "/root";
  const auto packed = run_command("cd " ASSAY_BUILD_DIR " && cpack -B " + scratch.path + " && mv " + scratch.path +
                                  "/assay_*.deb " + package);
  ASSERT_EQ(packed.exit_code, 0) << packed.out << packed.err;
  ASSERT_EQ(run_command("dpkg-deb --extract " + package + " " + root).exit_code, 0);
  expect_dependencies(package);
  expect_files(root + "/usr");
  expect_no_path_of_the_build(root);
  expect_to_run(root + "/usr");
}

}  // namespace
}  // namespace assay
