// `assay sharpness`: the table, the file, one case line, and mistakes.
#include <gmock/gmock.h>

#include "harness/cli/usage_error.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

using selftest::expect_usage_error;
using selftest::Ran;
using selftest::read_text;
using selftest::run;
using selftest::Scratch;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

std::string some_op() { return all_ops().front().name; }

TEST(SharpnessCommand, PrintsARowForEachDtypeAndOutputAndWritesTheSame) {
  const Scratch scratch;
  const Ran ran = run("assay", "sharpness " + some_op() + " --cases 3 --csv " + scratch.path + "/table.csv");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const Contract& op = all_ops().front();
  const std::string csv = read_text(scratch.path + "/table.csv");
  EXPECT_THAT(csv, StartsWith("op,dtype,output,rule,smallest_uniform_error,"));
  for (const DType dtype : op.dtypes)
    for (const char* rule : {"assay", "torch", "2x", "1e-2"})
      EXPECT_THAT(csv, ContainsRegex("\n" + op.name + "," + std::string(name(dtype)) + ",[a-z]+," + rule + ","));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("torch"), HasSubstr(op.name), HasSubstr("2^-")));
}

TEST(SharpnessCommand, TakesACaseLineOfAnySizeAndRepeatsItself) {
  const std::string line = "'rms_norm_backward/any f32 G=4096 dim=2 eps=1e-5 init=zero fill=normal seed=1'";
  const Ran ran = run("assay", "sharpness " + line);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("rms_norm_backward +f32 +dw "));
  EXPECT_EQ(run("assay", "sharpness " + line).out, ran.out);
}

TEST(SharpnessCommand, RefusesWhatItDoesNotKnow) {
  expect_usage_error(run("assay", "sharpness softmax_foward"), "no op is called 'softmax_foward'", "softmax_forward");
  expect_usage_error(run("assay", "sharpness --suite nowhere"), "nowhere", "");
  expect_usage_error(run("assay", "sharpness --cases 0"), "--cases", "");
  expect_usage_error(run("assay", "sharpness 'softmax_forward/any f32 rows=x'"), "rows", "");
}

}  // namespace
}  // namespace assay
