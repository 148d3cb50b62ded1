// scripts/gpu_kernels_of_push in a repository of three kernels: those that a change reaches, and no others.
#include <gmock/gmock.h>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using testing::HasSubstr;

class GpuKernelsOfPush : public testing::Test {
 protected:
  GpuKernelsOfPush() {
    write("kernels/device/tile.cuh", "#include \"kernels/device/load.cuh\"\n");
    write("kernels/device/load.cuh", "// reads\n");
    write("kernels/gemm/tiled.cu", "#include \"kernels/device/tile.cuh\"\n");
    write("kernels/rope/plain.cu", "// no headers\n");
    write("kernels/adamw/plain.cu", "// no headers\n");
    write("reference/vendor/cub/sort.cu", "#include \"reference/vendor/library.h\"\n");
    write("reference/vendor/library.h", "// a library\n");
    write("harness/device/cuda/nvcc.cmake", "# options\n");
    std::filesystem::create_directories(scratch.path + "/scripts");
    std::filesystem::copy_file(ASSAY_SOURCE_DIR "/scripts/gpu_kernels_of_push", scratch.path + "/scripts/list");
    commit();
  }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((std::filesystem::path(scratch.path) / path).parent_path());
    std::ofstream(scratch.path + "/" + path, std::ios::app) << text;
  }
  // Commits everything, with a hash that depends only on the files.
  void commit() const {
    const selftest::Ran ran =
        sh("git init -q . && git add . && GIT_AUTHOR_DATE=2000-01-01T00:00:00Z GIT_COMMITTER_DATE=2000-01-01T00:00:00Z "
           "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q -m change");
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
  }
  selftest::Ran sh(const std::string& command) const {
    return selftest::run_command("cd " + scratch.path + " && unset ASSAY_CI_BASE && " + command);
  }
  selftest::Ran list(const std::string& base) const { return sh("scripts/list " + base); }

  selftest::Scratch scratch;
};

TEST_F(GpuKernelsOfPush, AreThoseThatIncludeAChangedHeader) {
  write("kernels/device/load.cuh", "// more\n");
  commit();
  EXPECT_EQ(list("HEAD~1").out, "kernels/gemm/tiled.cu\n");
}

TEST_F(GpuKernelsOfPush, AreTheFilesThatChanged) {
  write("kernels/rope/plain.cu", "// more\n");
  write("kernels/rope/new.cu", "// new\n");
  write("README.md", "text\n");
  commit();
  EXPECT_EQ(list("HEAD~1").out, "kernels/rope/new.cu\nkernels/rope/plain.cu\n");
}

TEST_F(GpuKernelsOfPush, AreAllWhereTheBuildChanged) {
  write("harness/device/cuda/nvcc.cmake", "# other options\n");
  commit();
  const selftest::Ran ran = list("HEAD~1");
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.err, HasSubstr("all: harness/device/cuda/nvcc.cmake changed"));
}

TEST_F(GpuKernelsOfPush, AreASampleWhereNoBaseIsKnown) {
  for (const std::string base : {"", "HEAD", "0000000000000000000000000000000000000000"}) {
    const selftest::Ran ran = list(base);
    EXPECT_THAT(ran.out, HasSubstr("kernels/rope/plain.cu\n")) << "three kernels are fewer than a sample";
    EXPECT_THAT(ran.err, testing::ContainsRegex("a sample of [34], drawn by the commit"));
  }
}

TEST_F(GpuKernelsOfPush, HaveTheVendorsLibrariesWithThemWhereThoseChanged) {
  write("reference/vendor/library_test.cpp", "// a test\n");
  write("reference/vendor/README.md", "text\n");
  commit();
  EXPECT_THAT(list("HEAD~1").out, testing::Not(HasSubstr("vendor")));
  write("reference/vendor/library.h", "// more\n");
  commit();
  EXPECT_THAT(list("HEAD~1").out, testing::EndsWith(".cu\nreference/vendor\n"));
}

TEST_F(GpuKernelsOfPush, AreOneWhereNoneChanged) {
  write("README.md", "text\n");
  commit();
  EXPECT_THAT(list("HEAD~1").out, testing::MatchesRegex("kernels/[a-z]+/[a-z]+\\.cu\n"));
}

}  // namespace
}  // namespace assay
