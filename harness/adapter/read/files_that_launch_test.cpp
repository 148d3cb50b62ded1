// Which files around a kernel's are read for its launches.
#include "harness/adapter/read/files_that_launch.h"

#include <gmock/gmock.h>

#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

class FilesThatLaunch : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_.path + "/" + name) << text;
  }
  std::vector<std::string> found(const std::string& name) const {
    std::vector<std::string> names;
    for (const std::string& path : files_that_launch("k", scratch_.path + "/" + name))
      names.push_back(std::filesystem::path(path).filename());
    return names;
  }
  selftest::Scratch scratch_;
};

constexpr const char* kKernel = "__global__ void k(float* x) {}\n";
constexpr const char* kLaunch = "void f(float* x) { k<<<1, 1>>>(x); }\n";

TEST_F(FilesThatLaunch, HaveNoOtherKernelOfThatName) {
  write("k.cu", kKernel);
  write("other.cu", std::string("__global__ void __launch_bounds__(32)\nk (float* x) { x[0] = 1; }\n") + kLaunch);
  EXPECT_THAT(found("k.cu"), IsEmpty()) << "that is another kernel";
  write("main.cu", std::string("__global__ void k(float* x);\n__global__ void my_k(float* x) {}\n") + kLaunch);
  write("includes.cu", std::string("#include \"k.cu\"\n") + kLaunch);
  write("copy.cu", std::string("__global__ void k(float* x)\n{\n}\n") + kLaunch);
  EXPECT_THAT(found("k.cu"), UnorderedElementsAre("main.cu", "includes.cu", "copy.cu"));
}

}  // namespace
}  // namespace assay
