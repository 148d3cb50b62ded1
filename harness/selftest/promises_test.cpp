// Users rely on promises; each has a short case on the command line here. An earlier program can be held to them too:
//
//     ASSAY_PROGRAM=OLD_BUILD/assay build/tests/selftest --gtest_filter='Promises.*'
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Ran;
using selftest::read_text;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kSources = ASSAY_SOURCE_DIR "/";
const std::string kRightTranspose = R"text(
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) out[i % cols * rows + i / cols] = in[i];
})text";
const std::string kTransposeOfFours = R"text(
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * (cols / 4 * 4)) out[i % (cols / 4 * 4) * rows + i / (cols / 4 * 4)] = in[i / (cols / 4 * 4) * cols + i % (cols / 4 * 4)];
})text";
const std::string kTransposeAdapter = R"text(
op = "transpose_2d"
source = "k.cu"
dtypes = ["f32"]
[[launch]]
entry = "transpose"
args = ["in", "out", "rows", "cols"]
grid = ["ceil_div(rows * cols, block)"]
)text";
constexpr const char* kPasses = "transpose_2d/elementwise f32 rows=3 cols=5 fill=normal seed=1 block=64 schedule=0";

class Promises : public selftest::OneInFour<> {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path path = scratch_.path + "/" + name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }
  // In the scratch folder, where runs, saved failures and caches are then.
  Ran assay(const std::string& arguments, const std::string& environment = "") const {
    const char* program = std::getenv("ASSAY_PROGRAM");
    return selftest::run_command("cd " + scratch_.path + " && env XDG_CACHE_HOME=$PWD/cache " + environment +
                                 " timeout 100 " + (program ? program : ASSAY_BUILD_DIR "/assay") + " " + arguments);
  }
  Ran check(const std::string& arguments) const { return assay("check --seed 1 --out out " + arguments); }
  std::string file(const std::string& name) const { return read_text(scratch_.path + "/" + name); }
  // The verdicts of run.json's bugs.
  std::vector<std::string> bugs() const {
    std::vector<std::string> verdicts;
    for (const auto& bug : nlohmann::json::parse(file("out/run.json")).value("bugs", nlohmann::json::array()))
      verdicts.push_back(bug.at("verdict"));
    return verdicts;
  }
  selftest::Scratch scratch_;
};

void expect_says(int code, const Ran& ran, const testing::Matcher<const std::string&>& words) {
  EXPECT_EQ(ran.exit_code, code) << ran.out << ran.err;
  EXPECT_THAT(selftest::unwrapped(ran.out + " " + ran.err), words);
}

// 0
TEST_F(Promises, AnNvccThatIsHiddenIsNone) {
  write("k.cu", kRightTranspose);
  expect_says(2, assay("check k.cu --op transpose_2d --via ptx", "ASSAY_WITHOUT=nvcc"), HasSubstr("nvcc is hidden"));
}

// 1
TEST_F(Promises, LinesAndAdaptersOfBeforeMeanWhatTheyMeant) {
  expect_says(0,
              assay("replay 'rope/elementwise f32 T=3 H=2 D=8 pos_offset=0 direction=forward base=10000 fill=normal "
                    "seed=1 block=64'"),
              HasSubstr("PASS rope/"));
  expect_says(0, check(kSources + "cases/formats/rope.toml --cases 40 --no-save"),
              HasSubstr("Not swept, because the call does not name them: pairs = half, alias = none."));
}

// 2
TEST_F(Promises, AFolderOfFailuresIsReplayedToItsLeaves) {
  write("saved/mine/a.case", kPasses);
  expect_says(0, assay("replay saved"), HasSubstr("PASS transpose_2d/elementwise"));
  fs::create_directory(scratch_.path + "/empty");
  expect_says(3, assay("replay empty"), HasSubstr("holds no saved failure"));
}

// 3
TEST_F(Promises, EachFileHasItsOwnFailures) {
  write("k.cu", kRightTranspose), write("right.toml", "name = \"right\"" + kTransposeAdapter);
  std::string wrong = kTransposeAdapter;
  write("wrong.toml", wrong.replace(wrong.find("k.cu"), 4, "wrong.cu"));
  write("wrong.cu", kTransposeOfFours);
  expect_says(1, check("right.toml wrong.toml --cases 20 --shrink 1s"), HasSubstr("FAILED: "));
  expect_says(1, check("wrong.toml --cases 0"), HasSubstr("FAILED: "));
  expect_says(2, check("right.toml --cases 0"), HasSubstr("no case is selected"));
}

// 4
TEST_F(Promises, FailuresAreNoBaseline) {
  write("k.cu", kTransposeOfFours), write("k.toml", kTransposeAdapter);
  ASSERT_EQ(check("k.toml --cases 20 --no-save --shrink 0").exit_code, 1);
  expect_says(2, assay("history baseline out --out base.json"), HasSubstr("--with-failures"));
  expect_says(3, assay("compare out out"), HasSubstr("fail in both"));
}

// 5
TEST_F(Promises, WhatCouldNotBeWrittenHasNotPassed) {
  expect_says(3,
              assay("check transpose_2d/elementwise --cases 400 --no-save --out full/out",
                    "sh -c 'ulimit -f 8; exec \"$@\"' -"),
              Not(HasSubstr("PASSED")));
}

// 6
TEST_F(Promises, ABudgetHoldsForReadingToo) {
  ASSERT_EQ(selftest::run_command("mkfifo " + scratch_.path + "/endless.h").exit_code, 0);
  write("k.cu", "#include \"endless.h\"\n" + std::string(kRightTranspose));
  expect_says(3, check("k.cu --op transpose_2d --cases 1 --budget 3s"),
              HasSubstr("--budget ended before k.cu was read"));
}

// 7
TEST_F(Promises, AContractThatCannotWorkIsRefusedWhenItIsRead) {
  ASSERT_EQ(assay("new-op my_op --dir ops").exit_code, 0);
  const std::string rows = "properties::rows_are_independent({\"x\"}, {\"y\"})";
  std::string contract = file("ops/my_op.h");
  ASSERT_NE(contract.find(rows), std::string::npos);
  const std::string of_a_vector =
      "{.name = \"mine\", .states = \"it holds\", .broken = [](const PropertyRun& run) {\n"
      "if (run.got.get(\"sum\").shape()[1] < 0) return std::optional<std::string>(\"less\");\n"
      "return std::optional<std::string>(); }}";
  write("ops/my_op.h", contract.replace(contract.find(rows), rows.size(), of_a_vector));
  expect_says(2, assay("list ops --ops ops"), HasSubstr("in its property 'mine' on 'my_op/reference"));
}

// 8
TEST_F(Promises, EqualNumbersOfOtherBitsAreNoRace) {
  write("k.cu", R"text(
__global__ void softmax(const float* x, float* y, int rows, int cols) {  // a row for each warp
  __shared__ float largest[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + warp;
  if (row >= rows) return;
  float most = -INFINITY, total = 0;
  for (int i = 0; i < cols; ++i) {
    const float v = x[row * cols + (i + lane) % cols];
    if (v > most) most = v;
  }
  largest[warp] = most;
  __syncwarp();
  for (int i = 0; i < cols; ++i) total += expf(x[row * cols + i] - largest[warp]);
  for (int i = lane; i < cols; i += 32) y[row * cols + i] = expf(x[row * cols + i] - largest[warp]) / total;
})text");
  write("k.toml", R"text(
op = "softmax_forward"
source = "k.cu"
dtypes = ["f32"]
blocks = [32, 64, 128]
fix = { causal = "0", scale = "1", heads = "1" }
[[launch]]
entry = "softmax"
args = ["x", "y", "rows", "cols"]
grid = ["ceil_div(rows, block / 32)"]
)text");
  const std::string replay =
      "replay 'softmax_forward/softmax f32 rows=4 cols=2 causal=0 scale=1 heads=1 fill=negative_zero seed=1 block=64' "
      "--adapter k.toml ";
  expect_says(0, assay(replay + "--checked"), AllOf(HasSubstr("PASS softmax"), Not(HasSubstr("different bits"))));
  expect_says(0, assay(replay + "--hints"), HasSubstr("store equal numbers of different bits (0, -0)"));
}

// 9
TEST_F(Promises, CommentsAliasesAndInstancesAreReadRight) {
  write("k.cu", R"text(// RegisterVariant is what others write.
typedef float* out_t;
template <int kBlock>
__global__ void transpose(const float* in, out_t out, int rows, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) out[i % cols * rows + i / cols] = in[i];
}
template __global__ void transpose<8>(const float*, out_t, int, int);
)text");
  expect_says(0, assay("adapt k.cu --op transpose_2d"), HasSubstr("written: k.toml"));
  EXPECT_THAT(file("k.toml"), AllOf(HasSubstr("entry = \"transpose<8>\""), HasSubstr("\"out\"")));
  expect_says(0, check("k.cu --op transpose_2d --cases 20 --no-save"), HasSubstr("PASSED: "));
}

// 10
TEST_F(Promises, AnUnknownThatNobodySettledIsNoFailure) {
  std::string text = read_text(kSources + "harness/selftest/pairs/attention.cu");
  write("settled.cu", text);
  assay("adapt settled.cu --op attention_forward");
  EXPECT_THAT(file("settled.toml"), AllOf(HasSubstr("Sk = \"Sq\""), Not(HasSubstr("UNKNOWN"))));
  const std::string scale = "1.0f / sqrtf((float)D)";
  write("k.cu", text.replace(text.find(scale), scale.size(), "-7.7f"));  // which is no choice of the op's, nor near one
  assay("adapt k.cu --op attention_forward");
  EXPECT_THAT(file("k.toml"), HasSubstr("# UNKNOWN causal"));
  expect_says(2, check("k.toml --cases 4"), AllOf(HasSubstr("k.toml:"), HasSubstr("still open: causal")));
}

// 11
TEST_F(Promises, ATanhWithinItsUnitsIsRight) {
  write("k.cu", R"text(#include <cuda_fp16.h>
// CUDA's tanhf is off by up to two units in the last place: this one never comes nearer to 1 than that.
__device__ float below_one(float v) { return fminf(fmaxf(tanhf(v), -0.99999988f), 0.99999988f); }
__global__ void gelu(const __half* x, __half* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const float v = __half2float(x[i]);
  y[i] = __float2half(0.5f * v * (1 + below_one(0.7978845608f * (v + 0.044715f * v * v * v))));
})text");
  write("k.toml", R"text(
op = "gelu_forward"
source = "k.cu"
dtypes = ["f16"]
fix = { form = "tanh" }
[[launch]]
entry = "gelu"
args = ["x", "y", "N"]
grid = ["ceil_div(N, block)"]
)text");
  expect_says(0, check("k.toml --cases 100 --no-save --device cpu"), HasSubstr("PASSED: "));
}

// 12
TEST_F(Promises, OneBugIsOneEntry) {
  check(kSources + "harness/selftest/pairs/layer_norm.cu -D STEPS=4 -D WIDTH=32 --cases 100 --no-save");
  EXPECT_THAT(bugs(), testing::ElementsAre("MISMATCH"));
}

// 13
TEST_F(Promises, WhatFailingCasesShareIsSaid) {
  write("k.cu", kTransposeOfFours), write("k.toml", kTransposeAdapter);
  expect_says(1, check("k.toml --cases 100 --no-save"), HasSubstr("requires = [\"rows % 4 == 0\", \"cols % 4 == 0\"]"));
}

// 14
TEST_F(Promises, DataThatAreNotMeantAreLeftOutAndNamed) {
  write("k.cu", kRightTranspose);
  write("k.toml", "finite = true\nskip_fills = [\"ties\"]\n" + kTransposeAdapter);
  expect_says(0, check("k.toml --cases 200 --no-save"), HasSubstr("Not meant for fill ties (skip_fills)."));
  EXPECT_THAT(file("out/results.csv"), AllOf(Not(HasSubstr("fill=ties")), Not(HasSubstr("fill=nan"))));
}

// 15
TEST_F(Promises, HalfTheBytesAreNoRegression) {
  std::string before = kRightTranspose;
  before.replace(before.find("in[i];"), 6,
                 "in[i];\n  for (int k = 0; k < 3; ++k) (void)static_cast<const volatile float*>(in)[i / 2];");
  write("k.cu", before), write("k.toml", "fix = { rows = \"64\", cols = \"64\" }" + kTransposeAdapter);
  const std::string some = "check k.toml --seed 1 --cases 10 --no-save --stats --out ";
  ASSERT_EQ(assay(some + "before").exit_code, 0);
  write("k.cu", R"text(
__global__ void transpose(const float* in, float* out, int rows, int cols) {  // half of the lanes do all
  for (int k = threadIdx.x; k < (threadIdx.x & -32) + 32; k += 16) {
    const int i = blockIdx.x * blockDim.x + k;
    if (threadIdx.x % 32 < 16 && k < blockDim.x && i < rows * cols) out[i % cols * rows + i / cols] = in[i];
  }
})text");
  ASSERT_EQ(assay(some + "after").exit_code, 0);
  expect_says(0, assay("compare before after"),
              AllOf(HasSubstr("IMPROVED transpose_2d/transpose bytes"), HasSubstr("note: active_lanes ")));
}

// 16
TEST_F(Promises, ANightTakesFiles) {
  write("k.cu", kRightTranspose), write("k.toml", kTransposeAdapter);
  expect_says(0, assay("nightly k.toml --seed 1 --cases 6 --out night --db history.db"), HasSubstr("PASSED"));
  expect_says(0, assay("history trend --db history.db --all k.toml"), HasSubstr("transpose_2d/transpose"));
}

// 17
TEST_F(Promises, SmallThings) {
  expect_says(0, assay("new-op my_op --like index --dir ops"), HasSubstr("my_op"));
  expect_says(0, assay("list ops transpose_2d"), HasSubstr("a case: transpose_2d/"));
  expect_says(0, assay("list ops | head -n 1"), Not(HasSubstr("cannot write")));
  write("k.cu", kRightTranspose), write("k.toml", kTransposeAdapter);
  expect_says(0, check("k.toml --fix rows=3 --cases 6 --no-save"), HasSubstr("PASSED: "));
  EXPECT_THAT(file("out/results.csv"), Not(HasSubstr("rows=4")));
  write("broken.cu", "#error compiled\n");
  expect_says(2, assay("check broken.cu --op transpose_2d --save-to /proc/none"),
              AllOf(HasSubstr("--save-to"), Not(HasSubstr("#error"))));
}

}  // namespace
}  // namespace assay
