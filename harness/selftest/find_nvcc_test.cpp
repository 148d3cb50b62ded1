// Which nvcc is used, and why none is: scripts/find_nvcc on machines that are described by folders.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Ran;
using selftest::run_command;

class FindNvcc : public testing::Test {
 protected:
  // A copy of the script in a project of its own, whose /usr/local/cuda is a folder of the test.
  void SetUp() override {
    fs::create_directories(path + "/project/scripts");
    ASSERT_EQ(run_command("sed 's|/usr/local/cuda|" + path + "/usual|' " ASSAY_SOURCE_DIR "/scripts/find_nvcc > " +
                          script + " && chmod +x " + script)
                  .exit_code,
              0);
  }

  std::string nvcc(const std::string& folder, const std::string& text = "#!/bin/sh\necho release 13.0\n") {
    const std::string place = path + "/" + folder + "/nvcc";
    fs::create_directories(path + "/" + folder);
    std::ofstream(place) << text;
    fs::permissions(place, fs::perms::owner_all);
    return place;
  }

  Ran ask(const std::string& environment = "", const std::string& arguments = "") {
    return run_command("env -u ASSAY_WITHOUT -u CUDACXX -u CUDA_HOME -u CUDA_PATH PATH=" + path + "/a:" + path +
                       "/b:/usr/bin:/bin " + environment + " " + script + " " + arguments);
  }
  void expect_none(const std::string& why, const std::string& environment = "") {
    const Ran ran = ask(environment);
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_EQ(ran.out + ran.err, why + "\n");
  }

  const selftest::Scratch scratch;
  const std::string path = scratch.path, script = path + "/project/scripts/find_nvcc";
};

TEST_F(FindNvcc, TakesTheFirstPlaceThatHasOne) {
  if (fs::exists("/usr/bin/nvcc")) GTEST_SKIP() << "/usr/bin/nvcc is found by every search";
  expect_none("no nvcc was found");
  for (const auto& [folder, environment] : {std::pair("project/.cuda/nvidia/cu13/bin", ""), std::pair("usual/bin", ""),
                                            std::pair("of path/bin", "CUDA_PATH"), std::pair("home/bin", "CUDA_HOME"),
                                            std::pair("b", ""), std::pair("a", "")}) {
    const std::string place = nvcc(folder), home = fs::path(place).parent_path().parent_path();
    EXPECT_EQ(ask(*environment ? environment + ("='" + home + "'") : "").out, place + "\n");
  }
  const std::string given = nvcc("given"), named = nvcc("named");
  EXPECT_EQ(ask("CUDACXX=" + named).out, named + "\n");
  EXPECT_EQ(ask("CUDACXX=" + named, "'' /nowhere/nvcc " + given).out, given + "\n");
  expect_none("nvcc is hidden by ASSAY_WITHOUT", "ASSAY_WITHOUT='gdb nvcc' CUDACXX=" + named);
}

TEST_F(FindNvcc, WhatDoesNotStartIsNone) {
  if (fs::exists("/usr/bin/nvcc")) GTEST_SKIP() << "/usr/bin/nvcc is found by every search";
  const std::string none = "no nvcc was found: ", place = nvcc("a", "#!/bin/sh\necho no licence >&2; exit 3\n");
  expect_none(none + place + " does not start: no licence");
  nvcc("a", "#!/bin/sh\nexit 3\n");
  expect_none(none + place + " does not start: exit code 3");
  nvcc("a", "#!/nowhere/sh\n");
  EXPECT_THAT(ask().out, testing::StartsWith(none + place + " does not start: "));
  fs::permissions(place, fs::perms::owner_read);
  expect_none(none + place + " is not executable");
  fs::remove(place);
  fs::create_symlink("/nowhere/nvcc", place);
  expect_none(none + place + " leads nowhere");

  const std::string later = nvcc("b");
  EXPECT_EQ(ask().out, later + "\n") << "the next one is taken";
}

}  // namespace
}  // namespace assay
