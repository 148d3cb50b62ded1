// `assay adapt` end to end: what it lists and writes, and that bad input gets one line that helps.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "harness/adapter/adapter.h"
#include "harness/cli/test_usage_error.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::read_text;
using selftest::run;
using selftest::Scratch;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSoftmax = R"(// A kernel as someone wrote it.
__global__ void softmax_bwd(float* dinp, const float* dout, const float* out, int N, int C) {
  int row = blockIdx.x;
  for (int c = threadIdx.x; c < C; c += blockDim.x) dinp[row * C + c] = 0;
}
)";

class Adapt : public selftest::OneInFour<> {
 protected:
  void write(const std::string& text) const { std::ofstream(source()) << text; }
  std::string source() const { return scratch_.path + "/my_kernels.cu"; }
  std::string toml() const { return scratch_.path + "/my_kernels.toml"; }
  Ran adapt(const std::string& options) const { return run("assay", "adapt " + source() + " " + options); }
  void expect_error(const std::string& options, const std::string& what, const std::string& hint) const {
    const Ran ran = adapt(options);
    EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_THAT(ran.err, AllOf(testing::StartsWith("assay: "), HasSubstr(what), HasSubstr(hint)));
  }

  Scratch scratch_;
};

TEST_F(Adapt, WritesACompleteAdapterBesideTheFile) {
  write(kSoftmax);
  const Ran ran = adapt("");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("my_kernels.cu:2: softmax_bwd(float* dinp, const float* dout, const float* out, "
                                       "int N, int C)\n"),
                             HasSubstr("op: softmax_backward"), HasSubstr("written: " + toml())));
  EXPECT_THAT(read_text(toml()), HasSubstr("# In softmax_bwd, dinp is dx, dout is g, out is y, N is rows, C is cols."));
  const auto adapter = read_adapter(toml());
  ASSERT_TRUE(adapter.has_value()) << adapter.error().line();
  EXPECT_EQ(adapter->source, source());
  EXPECT_EQ(adapter->op, "softmax_backward");
  EXPECT_THAT(adapter->dtypes, ElementsAre(DType::f32));
  EXPECT_THAT(adapter->launches.at(0).args, ElementsAre("dx", "g", "y", "rows", "cols"));
  EXPECT_THAT(adapter->launches.at(0).grid, ElementsAre("rows"));
}

TEST_F(Adapt, SaysWhatIsOpen) {
  write("__global__ void softmax_forward(const float* x, float* y, float banana) { blockDim.x; }");
  const Ran ran = adapt("");
  EXPECT_EQ(ran.exit_code, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("unknown: argument 3 of softmax_forward, the number 'banana'"));
  EXPECT_THAT(read_text(toml()),
              AllOf(HasSubstr("# UNKNOWN argument 3"), HasSubstr("guesses = [ \"banana is scale\"")));
}

// Nothing says how many keys there are: that there are as many as queries is likely, and for its author to confirm.
TEST_F(Adapt, ProposesWhatNothingTells) {
  write(
      "__global__ void attention(const float* q, const float* k, const float* v, float* out, int B, int T, int NH,\n"
      "                          int HS) { out[(blockIdx.x * T + threadIdx.x) * NH * HS] = q[0] + k[0] + v[0] + B; }");
  const Ran ran = adapt("--op attention_forward");
  EXPECT_EQ(ran.exit_code, 3) << ran.out << ran.err;
  EXPECT_THAT(read_text(toml()),
              AllOf(HasSubstr("# UNKNOWN layout"), HasSubstr("# UNKNOWN Sk (keys of a sequence): nothing tells"),
                    HasSubstr("# To be confirmed: where Sk and HK are so in every call"),
                    HasSubstr("Sk = \"Sq\", HK = \"H\" }\n")));
  const Ran check = run("assay", "check " + source() + " --no-save --out " + scratch_.path + "/out");
  selftest::expect_usage_error(check, toml() + ":", "then delete this line");
  EXPECT_FALSE(std::filesystem::exists(scratch_.path + "/out"));
}

TEST_F(Adapt, TriesWhatNamesLeaveOpen) {
  write(
      "__global__ void turn(const float* a, float* b, int p, int q) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  if (i < p && j < q) b[i * q + j] = a[j * p + i];\n}\n");
  const Ran ran = adapt("--op transpose_2d");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(read_text(toml()), HasSubstr("args = [ \"in\", \"out\", \"cols\", \"rows\" ]"));
  EXPECT_THAT(read_text(toml()), HasSubstr("Guessed, and right in the cases that were tried: p is cols, q is rows."));
}

TEST_F(Adapt, GuessesWithholdFailures) {
  std::ofstream(scratch_.path + "/copy.c") << "void copy(const float* in, float* out) { out[0] = in[0] + 1; }\n";
  const auto check = [&](const std::string& guesses) {
    std::ofstream(toml()) << "op = \"transpose_2d\"\nsource = \"copy.c\"\nlanguage = \"host\"\ndtypes = [\"f32\"]\n" +
                                 guesses + "[[launch]]\nentry = \"copy\"\nargs = [\"in\", \"out\"]\n";
    return run("assay",
               "check " + toml() + " --cases 5 --no-save --shrink 0 --device cpu --out " + scratch_.path + "/out");
  };
  const Ran guessed = check("guesses = [\"the grid is 1\"]\n");
  EXPECT_EQ(guessed.exit_code, 3) << guessed.out << guessed.err;
  EXPECT_THAT(selftest::unwrapped(guessed.out),
              AllOf(HasSubstr("INCONCLUSIVE"), HasSubstr("the adapter is a guess (the grid is 1)")));
  EXPECT_EQ(check("").exit_code, 1);
}

TEST_F(Adapt, WritesOverNothingWithoutForce) {
  write(kSoftmax);
  std::ofstream(toml()) << "mine";
  expect_error("", "my_kernels.toml is there already", "--force");
  EXPECT_EQ(read_text(toml()), "mine");
  EXPECT_EQ(adapt("--force").exit_code, 0);
  EXPECT_THAT(read_text(toml()), HasSubstr("op = \"softmax_backward\""));
}

TEST_F(Adapt, PrintsOnlyTheFileOrWritesElsewhere) {
  write(kSoftmax);
  const Ran ran = adapt("--out -");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(testing::StartsWith("# "), HasSubstr("source = \"my_kernels.cu\"")));
  EXPECT_THAT(ran.err, HasSubstr("my_kernels.cu:2: softmax_bwd("));
  EXPECT_FALSE(std::filesystem::exists(toml()));
  std::filesystem::create_directory(scratch_.path + "/elsewhere");
  EXPECT_EQ(adapt("--out " + scratch_.path + "/elsewhere/a.toml").exit_code, 0);
  EXPECT_EQ(read_adapter(scratch_.path + "/elsewhere/a.toml")->source, source());
  expect_error("--out /no/such/folder/a.toml", "cannot write '/no/such/folder/a.toml'", "--out");
}

TEST_F(Adapt, ChoosesAmongKernels) {
  write(std::string(kSoftmax) + "__global__ void helper(float* scratch, int N) {}\n");
  expect_error("", "2 kernels", "--kernel NAME, several in the order of their launches: softmax_bwd, helper");
  expect_error("--kernel softmax_bdw", "no kernel 'softmax_bdw'", "did you mean 'softmax_bwd'");
  EXPECT_EQ(adapt("--kernel softmax_bwd").exit_code, 0);
  EXPECT_EQ(adapt("--op softmax_backward --kernel softmax_bwd --kernel helper --force").exit_code, 3);
  EXPECT_THAT(selftest::read_text(toml()), testing::ContainsRegex("entry = \"softmax_bwd\"(.|\n)*entry = \"helper\""));
}

TEST_F(Adapt, BadInputGetsALineThatHelps) {
  expect_error("", "no such file", "give the path of a .cu file");
  write("int main() {}\n");
  expect_error("", "my_kernels.cu: no kernel in it", "__global__");
  write("namespace a {\n/* __global__ void k(int n) {}\n");
  expect_error("", "my_kernels.cu:2: unterminated /* comment", "-I");
  write("__global__ void crunch(long b, double c) {}");
  expect_error("", "no op is like kernel 'crunch'", "--op");
  write(kSoftmax);
  expect_error("--op softmax_backwards", "there is no op 'softmax_backwards'", "did you mean 'softmax_backward'");
}

}  // namespace
}  // namespace assay
