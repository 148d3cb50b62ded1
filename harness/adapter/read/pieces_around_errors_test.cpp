// The pieces that a kernel reaches are complete, and compile, where the file around them does not.
#include "harness/adapter/read/pieces.h"

#include <gmock/gmock.h>

#include "harness/adapter/read/test_read_by_clang.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class PiecesAroundErrors : public ReadByClang {
 protected:
  std::string reached(const std::string& text) { return kernel(read(text), "k").reached.text; }
};

TEST_F(PiecesAroundErrors, FriendsOfAClassAreThere) {
  EXPECT_THAT(reached("namespace d { template <class T> struct caster; struct plain; }\n"
                      "struct value { template <class T> friend struct d::caster; friend struct d::plain; float v; };\n"
                      "__global__ void k(value* y) { y->v = 1; }\n"),
              AllOf(HasSubstr("template <class T> struct caster;"), HasSubstr("struct plain;")));
}

// Every == that is declared before a template is one that its `p == nullptr` might mean.
TEST_F(PiecesAroundErrors, OverloadsThatDoNotCompileAreLeftOut) {
  EXPECT_THAT(reached("struct Right { int n; };\nbool operator==(Right, Right);\n"
                      "struct Wrong { int n[MISSING]; };\nbool operator==(Wrong, Wrong);\n"
                      "template <class T> __global__ void k(T* y) { if (y[0] == nullptr) y[1] = y[0]; }\n"),
              AllOf(HasSubstr("Right"), Not(HasSubstr("Wrong"))));
  EXPECT_THAT(reached("double operator+(const double& x, const Missing& y) { return x + y; }\n"
                      "template <class T> __global__ void k(T* y) { y[0] = y[1] + y[2]; }\n"),
              Not(HasSubstr("Missing")))
      << "the only one, and it is not of numbers";
}

TEST_F(PiecesAroundErrors, NamesThatNothingDeclaresAreNoPieces) {
  EXPECT_THAT(reached("void f(float* y) { k2<scalar_t>(y, kWidth); }\n"
                      "template <class T> __global__ void k(T* y) { y[0] = kWidth; }\n"),
              Not(HasSubstr("k2")));
}

// Such a header brings the toolkit's other ones, which define what the executor's do.
TEST_F(PiecesAroundErrors, HeadersThatOnlyAToolkitHasAreNotTaken) {
  write("cuda_runtime.h", "");
  write("cuda_fp8.h", "__device__ inline float mine(int x) { return 1; }\n");
  CompileOptions options;
  options.include = {scratch_.path};
  const std::string text = "#include <cuda_fp8.h>\n__global__ void k(float* y) { *y = mine(1); }\n";
  write("k.cu", text);
  const auto source = read_by_clang({text, 1}, scratch_.path + "/k.cu", options, "");
  ASSERT_TRUE(source);
  EXPECT_THAT(kernel(*source, "k").reached.text, Not(HasSubstr("return 1")));
}

TEST_F(PiecesAroundErrors, AMemberOfAMissingBaseIsPassedAsItIsWritten) {
  const CudaSource source = read(
      "__global__ void k(float* y, int n) {}\ntemplate <class T> struct Layer : Missing<T> {\n"
      "  void forward(float* y) { k<<<(this->size_ + 31) / 32, 32>>>(y, this->size_ * 2); }\n};\n");
  ASSERT_EQ(source.launches.size(), 1u);
  EXPECT_EQ(source.launches[0].arguments.at(1), "this->size_ * 2");
  EXPECT_THAT(source.launches[0].configuration.at(0), HasSubstr("this->size_ + 31"));
}

// Comments and messages in an encoding of somebody's own.
TEST_F(PiecesAroundErrors, TextNeedNotBeUnicode) {
  const CudaSource source = read("// f\xfcr jedes \xb0\n__global__ void k(float* x) { x[0] = 1; /* \xff */ }\n");
  EXPECT_EQ(kernel(source, "k").line, 2);
  EXPECT_TRUE(source.is_read);
}

}  // namespace
}  // namespace assay
