// Cases of more than 2^32 elements from end to end: users' kernels, what cannot be sampled, and every op in a suite.
#include <gmock/gmock.h>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::run;
using selftest::Scratch;
using testing::HasSubstr;

// With an index of this type.
std::string softmax(const std::string& index) {
  return "__global__ void softmax(const float* x, float* y, int rows, int cols) {\n"
         "  " +
         index + " first = (" + index +
         ")blockIdx.x * cols;\n"
         "  __shared__ float total;\n"
         "  if (threadIdx.x == 0) {\n"
         "    float maximum = -INFINITY, sum = 0;\n"
         "    for (int c = 0; c < cols; ++c) maximum = fmaxf(maximum, x[first + c]);\n"
         "    for (int c = 0; c < cols; ++c) sum += expf(x[first + c] - maximum);\n"
         "    total = maximum + logf(sum);\n"
         "  }\n"
         "  __syncthreads();\n"
         "  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[first + c] = expf(x[first + c] - total);\n"
         "}\n"
         "void launch(const float* x, float* y, int rows, int cols) { softmax<<<rows, 64>>>(x, y, rows, cols); }\n";
}

selftest::Ran check_huge(const Scratch& scratch, const std::string& source, const std::string& options) {
  const std::string file = scratch.path + "/softmax.cu";
  std::ofstream(file) << source;
  return run("assay", "check " + file +
                          " --op softmax_forward --kernel softmax --fix causal=0 --fix scale=1 --cases 4 " + options +
                          " --no-save --out " + scratch.path + "/out");
}

TEST(HugeCases, ShowANarrowIndexInAFileOfTheUsers) {
  const Scratch scratch;
  EXPECT_EQ(check_huge(scratch, softmax("int"), "").exit_code, 0) << "without --huge nobody sees it";
  const auto found = check_huge(scratch, softmax("int"), "--huge");
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(selftest::unwrapped(found.out), HasSubstr("x[-2147483"));
  EXPECT_THAT(selftest::unwrapped(found.out), HasSubstr("is an index computed in 32 bits? (softmax.cu:6)"));
  const auto sound = check_huge(scratch, softmax("long long"), "--huge");
  EXPECT_EQ(sound.exit_code, 0) << sound.out << sound.err;
}

struct Refused {
  const char* arguments;
  const char* why;
};

TEST(HugeCases, AreRefusedByNameWhereNoSampleOfBlocksWouldDo) {
  for (const Refused& each : {
           Refused{"replay 'gelu_forward/elementwise f32 N=4294967299 form=tanh fill=normal seed=1 block=256 grid=1'",
                   "not sampled: a block walks the whole tensor"},
           Refused{"replay 'cross_entropy_forward_backward/online_two_pass f32 N=4194307 V=1024 pad=none targets=valid "
                   "pad_id=4294967295 loss=total counted=call init=zero fill=normal seed=1 block=64'",
                   "not sampled: it launches several kernels"},
           Refused{
               "replay 'softmax_forward/block_per_row f32 rows=4194307 cols=1024 causal=1 fill=normal seed=1 block=64'",
               "not sampled: the op does not repeat along rows"},
           Refused{"replay --checked 'softmax_forward/block_per_row f32 rows=4194307 cols=1024 fill=normal seed=1 "
                   "block=64'",
                   "not sampled: device cpu-checked runs all blocks; device cpu runs some"},
       }) {
    const auto refused = run("assay", each.arguments);
    EXPECT_EQ(refused.exit_code, 3) << refused.out << refused.err;
    EXPECT_THAT(selftest::unwrapped(refused.out), HasSubstr(each.why));
  }
}

TEST(HugeCases, OfAnOpWhoseRowsDependOnEachOtherThereAreNone) {
  const Scratch scratch;
  const auto none = run("assay", "check tensor_stats shape=huge --no-save --out " + scratch.path + "/out");
  EXPECT_NE(none.exit_code, 0);
  EXPECT_THAT(selftest::unwrapped(none.out + none.err), HasSubstr("names no dim along which it repeats")) << none.err;
}

// Every op that has some, in 10 seconds of one core: no kernel of ours is accused.
TEST(HugeCases, OfAllOpsPass) {
  const Scratch scratch;
  const auto all = run("assay", "check --suite huge --no-save --out " + scratch.path + "/out");
  EXPECT_EQ(all.exit_code, 0) << all.out << all.err;
}

}  // namespace
}  // namespace assay
