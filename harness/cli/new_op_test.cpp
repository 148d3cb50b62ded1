// An op of the user's own, end to end: written, compiled, cached, checked against, and its author's mistakes reported.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/cli/test_usage_error.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::expect_usage_error;
using selftest::Ran;
using selftest::read_text;
using selftest::run;
using selftest::Scratch;
using testing::AllOf;
using testing::HasSubstr;

// Every test has a cache of its own, and none uses the user's.
class OwnOp : public selftest::OneInFour<> {
 protected:
  OwnOp() { setenv("XDG_CACHE_HOME", cache().c_str(), 1); }

  std::string cache() const { return scratch_.path + "/cache"; }
  std::string ops() const { return scratch_.path + "/ops"; }
  std::string path(const std::string& name) const { return scratch_.path + "/" + name; }
  std::string header() const { return ops() + "/my_op.h"; }

  void write_op() const {
    const Ran ran = run("assay", "new-op my_op --dir " + ops());
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
  }
  // Replaces what must be there.
  void edit(const std::string& from, const std::string& to) const {
    std::string text = read_text(header());
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(header()) << text.replace(at, from.size(), to);
  }
  Ran list() const { return run("assay", "list ops --ops " + ops()); }
  // Lists the op with this one change.
  Ran listed_after(const std::string& from, const std::string& to) const {
    const std::string text = read_text(header());
    edit(from, to);
    Ran ran = list();
    std::ofstream(header()) << text;
    return ran;
  }
  std::vector<fs::path> cached() const {
    std::vector<fs::path> modules;
    std::error_code none_kept;
    for (const auto& entry : fs::directory_iterator(cache() + "/assay", none_kept))
      if (entry.path().extension() == ".so") modules.push_back(entry.path());
    return modules;
  }

 private:
  Scratch scratch_;
};

// A thread per row; `term` is what it adds to the row's sum.
std::string kernel_adding(const std::string& term) {
  return "template <class T>\n"
         "__global__ void my_kernel(const T* x, const T* bias, T* y, float* sum, int64_t rows, int64_t cols) {\n"
         "  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;\n"
         "  if (row >= rows) return;\n"
         "  float total = 0;\n"
         "  for (int64_t i = 0; i < cols; ++i) {\n"
         "    const float value = float(x[row * cols + i]) + float(bias[i]);\n"
         "    y[row * cols + i] = T(value);\n"
         "    total += " +
         term +
         ";\n"
         "  }\n"
         "  sum[row] = total;\n"
         "}\n";
}

std::string adapter_of(const std::string& source) {
  return "op = \"my_op\"\nsource = \"" + source +
         "\"\n[[launch]]\nentry = \"my_kernel<T>\"\n"
         "args = [\"x\", \"bias\", \"y\", \"sum\", \"rows\", \"cols\"]\ngrid = [\"ceil_div(rows, block)\"]\n";
}

TEST_F(OwnOp, IsWrittenCompiledAndListed) {
  const Ran wrote = run("assay", "new-op my_op --dir " + ops());
  EXPECT_EQ(wrote.exit_code, 0) << wrote.err;
  EXPECT_THAT(wrote.out, AllOf(HasSubstr(header()), HasSubstr("check my_kernel.cu --op my_op --ops " + ops())));
  EXPECT_EQ(read_text(header()).find("new_op_name"), std::string::npos);
  const Ran listed = list();
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out, AllOf(HasSubstr("my_op  [f32 bf16 f16]"), HasSubstr(all_ops().front().name)));
  EXPECT_THAT(run("assay", "list ops").out, testing::Not(HasSubstr("my_op  [")));
}

TEST_F(OwnOp, NewOpRefusesBadNamesAndOverwritesNothing) {
  for (const char* bad : {"2x", "a-b", "a/b", "''"})
    expect_usage_error(run("assay", std::string("new-op ") + bad + " --dir " + ops()), "cannot name an op", "letters");
  const std::string known = all_ops().front().name;
  expect_usage_error(run("assay", "new-op " + known + " --dir " + ops()), "there is an op '" + known + "'", "another");
  EXPECT_FALSE(fs::exists(ops()));
  expect_usage_error(run("assay", "new-op my_op --dir /proc/none"), "cannot write '/proc/none/my_op.", "--dir");
  write_op();
  std::ofstream(header()) << "mine";
  expect_usage_error(run("assay", "new-op my_op --dir " + ops()), "is there already", "--force");
  EXPECT_EQ(read_text(header()), "mine");
  EXPECT_EQ(run("assay", "new-op my_op --force --dir " + ops()).exit_code, 0);
  EXPECT_THAT(read_text(header()), HasSubstr("namespace assay::ops::my_op"));
}

TEST_F(OwnOp, ARightKernelPassesAndAPlantedBugIsFound) {
  write_op();
  std::ofstream(path("right.cu")) << kernel_adding("value");
  std::ofstream(path("wrong.cu")) << kernel_adding("i < cols - 1 ? value : 0");
  for (const char* file : {"right", "wrong"})
    std::ofstream(path(file) + ".toml") << adapter_of(file + std::string(".cu"));
  const std::string options = " --op my_op --ops " + ops();
  const auto check = [&](const std::string& file) {
    return run("assay", "check " + path(file) + " --cases 30 --shrink 2s --no-save --out " + path("out") + options);
  };
  const Ran right = check("right.cu");
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  EXPECT_THAT(right.out, HasSubstr("my_op/my_kernel"));
  const Ran wrong = check("wrong.cu");
  EXPECT_EQ(wrong.exit_code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, AllOf(HasSubstr("MISMATCH"), HasSubstr("--ops " + ops()))) << "the command to replay it";
  const std::string line = "replay 'my_op/my_kernel f32 rows=1 cols=5 fill=normal seed=1 block=32' --source ";
  EXPECT_EQ(run("assay", line + path("right.cu") + options).exit_code, 0);
  const Ran replayed = run("assay", line + path("wrong.cu") + options);
  EXPECT_EQ(replayed.exit_code, 1) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("sum: 1 of 1 elements are wrong"));
}

TEST_F(OwnOp, IsCompiledAgainOnlyWhenItOrWhatItIncludesHasChanged) {
  write_op();
  std::ofstream(ops() + "/sizes.inc") << "// sizes\n";
  edit("#pragma once\n", "#pragma once\n#include \"sizes.inc\"\n");
  ASSERT_EQ(list().exit_code, 0);
  ASSERT_EQ(cached().size(), 1u);
  const fs::path module = cached()[0];
  std::ofstream(module) << "no module";  // which would be replaced if it was compiled again
  EXPECT_THAT(list().err, HasSubstr("does not load"));
  fs::remove(module);
  ASSERT_EQ(list().exit_code, 0);
  EXPECT_EQ(cached(), std::vector<fs::path>{module});
  std::ofstream(ops() + "/sizes.inc") << "#error other sizes\n";
  EXPECT_THAT(list().err, HasSubstr("other sizes"));
}

TEST_F(OwnOp, NeedsNoCacheAndComesFromTheEnvironmentToo) {
  write_op();
  setenv("XDG_CACHE_HOME", "/proc/none", 1);
  fs::create_directory(path("more"));
  fs::copy(header(), path("more") + "/other_op.h");
  std::string text = read_text(header());
  for (size_t at = text.find("my_op"); at != std::string::npos; at = text.find("my_op", at))
    text.replace(at, 5, "other_op");
  std::ofstream(path("more") + "/other_op.h") << text;
  setenv("ASSAY_OPS", (ops() + ":" + path("more")).c_str(), 1);
  const Ran listed = run("assay", "list ops");
  unsetenv("ASSAY_OPS");
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out, AllOf(HasSubstr("my_op  ["), HasSubstr("other_op  [")));
  EXPECT_THAT(run("assay", "list ops --ops " + ops() + " --ops " + path("more")).out, HasSubstr("other_op  ["));
}

TEST_F(OwnOp, MistakesOfFoldersAndFilesGetOneLine) {
  const std::string options = "list ops --ops ";
  expect_usage_error(run("assay", options + path("none")), "cannot read the folder of ops", "--ops");
  fs::create_directory(ops());
  expect_usage_error(list(), "no op is in it", "new-op");
  std::ofstream(ops() + "/my-op.h") << "";
  expect_usage_error(list(), "my-op.h", "letters");
  fs::remove(ops() + "/my-op.h");
  const std::string known = all_ops().front().name;
  std::ofstream(ops() + "/" + known + ".h") << "";
  expect_usage_error(list(), "there is an op '" + known + "'", "rename");
  fs::remove(ops() + "/" + known + ".h");
  fs::create_directory(path("more"));
  for (const std::string& folder : {ops(), path("more")}) std::ofstream(folder + "/twice.h") << "";
  expect_usage_error(run("assay", options + ops() + " --ops " + path("more")), "two headers for op 'twice'", "rename");
}

TEST_F(OwnOp, ErrorsOfTheCompilerNameFileAndLine) {
  write_op();
  edit("  constexpr double kLargest = 3e4;", "  constexpr double kLargest = thirty;");
  const std::string text = read_text(header());
  const auto line = std::count(text.begin(), text.begin() + static_cast<int64_t>(text.find("thirty")), '\n') + 1;
  const Ran ran = list();
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr(header() + ":" + std::to_string(line)), HasSubstr("thirty")));
}

TEST_F(OwnOp, MistakesOfTheContractGetOneLine) {
  write_op();
  expect_usage_error(listed_after(".shape = {\"cols\"}", ".shape = {\"columns\"}"),
                     "my_op.h: the shape of 'bias' names 'columns'", "correct the contract");
  expect_usage_error(listed_after(".name = \"my_op\"", ".name = \"mine\""), ".name must be 'my_op'", "correct");
  expect_usage_error(listed_after(".name = \"my_op\"", ".name = \"" + all_ops().front().name + "\""),
                     "two ops are named", "");
  EXPECT_TRUE(cached().empty()) << "what is wrong is not kept";
}

// A property of the op my_op that does `what`.
std::string property_that(const std::string& what) {
  return ".properties = {{.name = \"mine\", .states = \"it holds\", .broken = [](const PropertyRun& run) {\n" + what +
         "; return std::optional<std::string>(); }}}";
}
constexpr const char* kRows = ".properties = {properties::rows_are_independent({\"x\"}, {\"y\"})}";

TEST_F(OwnOp, APropertyThatCrashesIsRefusedByItsName) {
  write_op();
  expect_usage_error(listed_after(kRows, property_that("if (run.got.get(\"sum\").shape()[1] < 0) return std::optional("
                                                       "std::string(\"less\"))")),
                     "smallest cases ends the process", "in its property 'mine' on 'my_op/reference f32 rows=0");
}

TEST_F(OwnOp, WhatCrashesBesideTheKernelIsNoCrashOfTheKernel) {
  write_op();
  edit(kRows, property_that("if (run.c.dim(\"rows\") > 3) *static_cast<volatile int*>(nullptr) = 1"));
  std::ofstream(path("right.cu")) << kernel_adding("value");
  std::ofstream(path("right.toml")) << adapter_of("right.cu");
  for (const std::string device : {"cpu", "cpu-checked"}) {
    const Ran ran = run("assay", "check " + path("right.cu") + " --cases 20 --shrink 5s --no-save --device " + device +
                                     " --out " + path("out") + " --op my_op --ops " + ops());
    EXPECT_EQ(ran.exit_code, 1) << ran.err;
    EXPECT_THAT(selftest::unwrapped(ran.out), AllOf(HasSubstr("JUDGE_CRASH my_op/my_kernel"), HasSubstr(" rows=4 "),
                                                    HasSubstr("in the property 'mine' of op my_op")));
    EXPECT_THAT(ran.out, testing::Not(testing::ContainsRegex("\nCRASH|kernel ended")));
    EXPECT_EQ(selftest::unwrapped(ran.out).find("--checked shows") != std::string::npos, device == "cpu");
  }
}

TEST_F(OwnOp, WhatHangsBesideTheKernelIsNoHangOfTheKernel) {
  write_op();
  edit(kRows, property_that("for (volatile int i = 0; run.c.dim(\"rows\") > 3;) i = 0"));
  std::ofstream(path("right.cu")) << kernel_adding("value");
  std::ofstream(path("right.toml")) << adapter_of("right.cu");
  const Ran ran =
      run("assay", "check " + path("right.cu") + " --cases 6 --case-limit 0.5s --shrink 0s --no-save --device cpu" +
                       " --out " + path("out") + " --op my_op --ops " + ops());
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(selftest::unwrapped(ran.out),
              AllOf(HasSubstr("JUDGE_CRASH my_op/my_kernel"), HasSubstr("not done after 0.5 s"),
                    HasSubstr("in the property 'mine' of op my_op")));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("TIMEOUT")));
}

TEST_F(OwnOp, ReferencesThatCrashOrThrowGetOneLine) {
  write_op();
  expect_usage_error(listed_after("bias[c];", "bias[c + 1];"), "smallest cases ends the process",
                     "read beyond a tensor");
  expect_usage_error(listed_after("Sum<S> total;", "if (cols == 3) throw std::runtime_error(\"three\"); Sum<S> total;"),
                     "three", "correct the contract");
  EXPECT_TRUE(cached().empty()) << "what is wrong is not kept";
}

}  // namespace
}  // namespace assay
