// Names, paths and texts of adapters come from strangers: none of it becomes markup, shell text or code.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::read_text;
using testing::HasSubstr;
using testing::Not;

// A copy, one thread to an element, so that every case is right.
constexpr const char* kKernelWithAName = R"(
__global__ void transpose_2d(const float* in, float* out, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) out[i % cols * rows + i / cols] = in[i];
}
)";

// The text as one word of a POSIX shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

class UntrustedText : public selftest::OneInFour<> {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = scratch_.path + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  selftest::Ran check(const std::string& file) const {
    return selftest::run("assay", "check " + quoted(file) +
                                      " --op transpose_2d --device cpu --cases 8 --seed 1 --no-save --regressions " +
                                      scratch_.path + "/saved --out " + scratch_.path + "/out");
  }
  std::string page() const { return read_text(scratch_.path + "/out/report.html"); }

  selftest::Scratch scratch_;
};

TEST_F(UntrustedText, APathIsNeitherShellNorMarkupNorCode) {
  const std::string name = "a \"b\" 'c' $(touch pwned) `touch pwned` ;#%s{} <script>alert(1)<";
  for (const std::string& file : {name + ".cu", std::string("line\n#error code from a path\n.cu")}) {
    const selftest::Ran ran = check(write(file, kKernelWithAName));
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    EXPECT_THAT(page(), Not(HasSubstr("<script>alert")));
    EXPECT_THAT(ran.out, Not(HasSubstr("\n#error"))) << "a line of its own";
  }
  EXPECT_FALSE(fs::exists("pwned"));
  EXPECT_FALSE(fs::exists(scratch_.path + "/pwned"));
}

TEST_F(UntrustedText, WhatAnAdapterRequiresIsNoMarkup) {
  const std::string file = write("k.cu", kKernelWithAName);
  write("k.toml", R"toml(op = "transpose_2d"
dtypes = ["f32"]
requires = ["cols < 0 || \"</script><script>alert(1)</script>\"[0] == 'x'"]
[[launch]]
entry = "transpose_2d"
args = ["in", "out", "rows", "cols"]
grid = ["ceil_div(rows * cols, block)"]
)toml");
  const selftest::Ran ran = check(file);
  EXPECT_EQ(ran.exit_code, 3) << "no case meets it\n" << ran.out << ran.err;
  EXPECT_THAT(read_text(scratch_.path + "/out/results.jsonl"), HasSubstr("alert(1)")) << "else nothing is shown here";
  EXPECT_THAT(page(), Not(HasSubstr("<script>alert")));
}

TEST_F(UntrustedText, AnAdaptersTextsStayOnOneLine) {
  for (const char* line : {"op = \"nothing\\nassay: all is well\"", "op = \"transpose_2d\"\nname = \"a\\nb\""}) {
    const selftest::Ran ran =
        check(write("k.toml", std::string(line) + "\nsource = \"k.cu\"\n[[launch]]\nentry = \"k\"\nargs = []\n"));
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

}  // namespace
}  // namespace assay
