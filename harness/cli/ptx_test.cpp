// `assay check` on PTX, end to end: a right kernel passes in both builds, a wrong one fails, and an instruction that
// the executor lacks is named with its place. If nvcc is there, CUDA files go through it.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::Scratch;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Softmax of rows, by one warp for each. Written by hand.
constexpr const char* kSoftmax = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry rows_to_softmax(
  .param .u64 .ptr .global .align 4 x,
  .param .u64 .ptr .global .align 4 y,
  .param .u32 cols
)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .f32 %f<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r1, [cols];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd3, %r2, %r1;
  shl.b64 %rd3, %rd3, 2;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  mov.f32 %f1, 0fFF800000;
  mov.u32 %r4, %r3;
MAXIMUM:
  setp.ge.u32 %p1, %r4, %r1;
  @%p1 bra REDUCE;
  mul.wide.u32 %rd4, %r4, 4;
  add.s64 %rd5, %rd1, %rd4;
  ld.global.f32 %f2, [%rd5];
  max.f32 %f1, %f1, %f2;
  add.u32 %r4, %r4, 32;
  bra MAXIMUM;
REDUCE:
  mov.u32 %r5, 16;
LANES:
  mov.b32 %r6, %f1;
  shfl.sync.bfly.b32 %r7, %r6, %r5, 31, 0xffffffff;
  mov.b32 %f2, %r7;
  max.f32 %f1, %f1, %f2;
  shr.u32 %r5, %r5, 1;
  setp.ne.u32 %p2, %r5, 0;
  @%p2 bra LANES;
  mov.f32 %f3, 0f00000000;
  mov.u32 %r4, %r3;
SUM:
  setp.ge.u32 %p1, %r4, %r1;
  @%p1 bra SUMMED;
  mul.wide.u32 %rd4, %r4, 4;
  add.s64 %rd5, %rd1, %rd4;
  add.s64 %rd6, %rd2, %rd4;
  ld.global.f32 %f2, [%rd5];
  sub.f32 %f2, %f2, %f1;
  mul.f32 %f2, %f2, 0f3FB8AA3B;
  ex2.approx.f32 %f2, %f2;
  st.global.f32 [%rd6], %f2;
  add.f32 %f3, %f3, %f2;
  add.u32 %r4, %r4, 32;
  bra SUM;
SUMMED:
  mov.u32 %r5, 16;
LANES2:
  mov.b32 %r6, %f3;
  shfl.sync.bfly.b32 %r7, %r6, %r5, 31, 0xffffffff;
  mov.b32 %f2, %r7;
  add.f32 %f3, %f3, %f2;
  shr.u32 %r5, %r5, 1;
  setp.ne.u32 %p2, %r5, 0;
  @%p2 bra LANES2;
  mov.u32 %r4, %r3;
DIVIDE:
  setp.ge.u32 %p1, %r4, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd4, %r4, 4;
  add.s64 %rd6, %rd2, %rd4;
  ld.global.f32 %f2, [%rd6];
  div.rn.f32 %f2, %f2, %f3;
  st.global.f32 [%rd6], %f2;
  add.u32 %r4, %r4, 32;
  bra DIVIDE;
DONE:
  ret;
}
)";

constexpr const char* kAdapter = R"(op = "softmax_forward"
source = "rows.ptx"
dtypes = ["f32"]
fast_math = true
[[launch]]
entry = "rows_to_softmax"
args = ["x", "y", "cols"]
grid = ["rows"]
block = ["32"]
)";

// One block for each row; RACY leaves its barrier out. BINDINGS brings in host code for a library that is not here.
constexpr const char* kCuda = R"(#include <cuda_fp16.h>
#ifdef BINDINGS
#include <torch/not_even_with_torch.h>
torch::Tensor softmax(torch::Tensor x) { return x; }
#endif
template <int kThreads = 1024>
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) {
  __shared__ float part[kThreads];
  x += (size_t)blockIdx.x * cols, y += (size_t)blockIdx.x * cols;
  float most = -INFINITY, sum = 0;
  for (int c = 0; c < cols; ++c) most = fmaxf(most, x[c]);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    float e;
    asm("ex2.approx.f32 %0, %1;" : "=f"(e) : "f"((x[c] - most) * 1.44269504f));
    y[c] = e, sum += e;
  }
  part[threadIdx.x] = sum;
#ifndef RACY
  __syncthreads();
#endif
  sum = 0;
  for (int t = 0; t < blockDim.x; ++t) sum += part[t];
  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[c] /= sum;
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  return at == std::string::npos ? "" : text.replace(at, from.size(), to);
}

class Ptx : public selftest::OneInFour<> {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_.path + "/" + name) << text;
  }
  Ran check(const std::string& file, const std::string& options = "") const {
    return selftest::run("assay", "check " + scratch_.path + "/" + file + " --cases 4 --shrink 0 --no-save --out " +
                                      scratch_.path + "/out --regressions " + scratch_.path + "/saved " + options);
  }
  // Replays by the adapter alone, which names its file.
  Ran replay(const std::string& the_case, const std::string& options) const {
    return selftest::run("assay", "replay softmax_forward/rows_to_softmax f32 " + the_case + " --adapter " +
                                      scratch_.path + "/rows.toml " + options);
  }
  Ran check_ptx(const std::string& text) const {
    write("rows.ptx", text);
    write("rows.toml", kAdapter);
    return check("rows.ptx");
  }

  Scratch scratch_;
};

TEST_F(Ptx, ARightKernelPasses) {
  const Ran ran = check_ptx(kSoftmax);
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("softmax_forward/rows_to_softmax from"), HasSubstr("PASSED")));
}

TEST_F(Ptx, ArgumentsMayBeCastToOtherPointers) {
  write("rows.ptx", kSoftmax);
  write("rows.toml", replaced(kAdapter, R"("x", "y")", R"("(const float*)x", "(char*)(float*)y")"));
  const Ran ran = check("rows.ptx");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

// Files that call Thrust are like this: a header's kernel, by the name that PTX has, and a class that holds a pointer.
TEST_F(Ptx, AKernelOfAHeaderIsTheFilesToo) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  write("library.cuh",
        "#pragma once\nnamespace lib {\ntemplate <class P>\n__global__ void add(P a, const float* b, float* out, int "
        "n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = a.at[i] + b[i];\n}\n}\n");
  write("calls.cu",
        "#include \"library.cuh\"\nstruct view { const float* at; };\n"
        "template __global__ void lib::add<view>(view, const float*, float*, int);\n");
  for (const char* entry : {"_ZN3lib3addI4viewEEvT_PKfPfi", "lib::add<view>"}) {
    write("calls.toml",
          std::string("op = \"residual_add\"\nvia = \"ptx\"\ndtypes = [\"f32\"]\n[[launch]]\nentry = \"") + entry +
              "\"\nargs = [\"a\", \"b\", \"out\", \"T * aE\"]\ngrid = [\"ceil_div(T * aE, block)\"]\n");
    const Ran ran = check("calls.cu");
    EXPECT_EQ(ran.exit_code, 0) << entry << ran.out << ran.err;
  }
}

TEST_F(Ptx, AWrongKernelFailsAtItsLine) {
  const Ran ran = check_ptx(replaced(kSoftmax, "st.global.f32 [%rd6], %f2", "st.global.f32 [%rd6+4], %f2"));
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_THAT(selftest::unwrapped(ran.out), AllOf(HasSubstr("OUT_OF_BOUNDS"), HasSubstr("rows.ptx:56")));
}

// Rounding to 16 bits is a function of the executor's own headers, which have no line of the user's.
TEST_F(Ptx, AnInfinityIsMadeAtALineOfTheText) {
  write("rows.ptx", replaced(kSoftmax, "div.rn.f32 %f2, %f2, %f3;",
                             "div.rn.f32 %f2, %f2, %f3; mul.f32 %f2, %f2, 0f5A000000;\n"
                             "{ .reg .b16 %h; cvt.rn.f16.f32 %h, %f2; cvt.f32.f16 %f2, %h; }"));
  write("rows.toml", kAdapter);
  const Ran ran = replay("rows=2 cols=40 fill=normal seed=1", "");
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("infinity first made by thread (0,0,0) of block (0,0,0) at rows.ptx:78 (kernel"));
}

// The first thread of each row prints "row N", and the second row ends in a trap. The adapter names the file.
TEST_F(Ptx, WhatKernelsPrintIsShown) {
  const std::string call =
      "setp.ne.u32 %p3, %r3, 0;\n@%p3 bra QUIET;\n{ .reg .b64 %words; .local .align 8 .b8 %row[8]; .reg .b64 %at;\n"
      "mov.u64 %at, %row; st.local.u32 [%at], %r2; cvta.local.u64 %at, %at;\n"
      "mov.u64 %words, words; cvta.global.u64 %words, %words; .param .b64 format; st.param.b64 [format], %words;\n"
      ".param .b64 values; st.param.b64 [values], %at; .param .b32 done;\n"
      "call.uni (done), vprintf, (format, values); }\n"
      "setp.eq.u32 %p3, %r2, 1;\n@%p3 trap;\nQUIET:\n  ret;";
  const std::string words =
      ".extern .func (.param .b32 done) vprintf (.param .b64 format, .param .b64 values);\n"
      ".global .align 1 .b8 words[8] = {114, 111, 119, 32, 37, 100, 10, 0};\n.visible .entry";
  write("rows.ptx", replaced(replaced(kSoftmax, "ret;", call), ".visible .entry", words));
  write("rows.toml", kAdapter);
  const Ran checked = check("rows.toml", "--seed 3");
  EXPECT_EQ(checked.exit_code, 1) << checked.out << checked.err;
  EXPECT_THAT(selftest::unwrapped(checked.out),
              AllOf(HasSubstr("__trap() at rows.ptx:"), HasSubstr("it printed"),
                    HasSubstr(" lines, the last: row 1 8 cases fail so"), Not(HasSubstr("row 0"))));
  for (const std::string device : {"cpu", "cpu-checked"}) {
    const Ran ran = replay("rows=1 cols=3 fill=normal seed=1", "--device " + device);
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("\n  1 line printed in the first run:\n    | row 0\n")) << ran.err;
  }
}

// One warp for each row, so that counts of a row follow from its columns.
TEST_F(Ptx, InstructionsAreCountedTheSameEveryTime) {
  write("rows.ptx", kSoftmax);
  write("rows.toml", kAdapter);
  const Ran ran = check("rows.ptx", "--stats --jobs 1 --bound-on a100");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("    instructions: "), HasSubstr("    bound: "), HasSubstr(" us on A100 SXM"),
                             Not(HasSubstr("--via ptx"))));
  const std::string csv = selftest::read_text(scratch_.path + "/out/results.csv");
  std::ifstream rows(scratch_.path + "/out/results.jsonl");
  for (std::string line; std::getline(rows, line);) {
    const auto row = nlohmann::json::parse(line);
    if (row.at("device") != "cpu-checked") continue;
    const auto& kernel = row.at("statistics").at("kernels").at(0);
    EXPECT_EQ(kernel.at("instructions").at("shuffle"), 10 * kernel.at("warps").get<int>()) << "two times five lanes";
  }
  std::filesystem::rename(scratch_.path + "/out", scratch_.path + "/before");
  EXPECT_EQ(check("rows.ptx", "--stats --jobs 2").exit_code, 0);
  EXPECT_EQ(selftest::read_text(scratch_.path + "/out/results.csv"), csv);
  write("rows.ptx", replaced(kSoftmax, "add.u32 %r4, %r4, 32;\n  bra SUM;",
                             "add.u32 %r4, %r4, 32;\n  add.f32 %f9, %f3, %f3;\n  bra SUM;"));
  EXPECT_EQ(check("rows.ptx", "--stats").exit_code, 0);
  const Ran compared = selftest::run("assay", "compare " + scratch_.path + "/before " + scratch_.path + "/out");
  EXPECT_EQ(compared.exit_code, 1) << compared.out;
  EXPECT_THAT(compared.out, AllOf(HasSubstr("fp32 instructions of rows_to_softmax"), HasSubstr("warp_instructions")));
  EXPECT_THAT(check("rows.ptx", "--stats --bound-on gtx480").err, HasSubstr("gtx480"));
}

TEST_F(Ptx, WhatIsNotThereIsNamed) {
  const Ran ran = check_ptx(replaced(kSoftmax, "div.rn.f32 %f2, %f2, %f3", "wgmma.fence.sync.aligned"));
  EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("the executor does not have the PTX instruction 'wgmma.fence.sync.aligned'"));
  EXPECT_THAT(check_ptx(std::string(kSoftmax).substr(0, 900)).err, HasSubstr("the text is cut off"));
  EXPECT_THAT(check("rows.ptx", "--via source").err, HasSubstr("is PTX, and not a source"));
}

TEST_F(Ptx, CudaFilesGoThroughNvccWhereTheSourceDoesNotCompile) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  // Names of a header that only nvcc has, and of PyTorch's, for which there are stubs.
  write("softmax.cu", "#include <cuda/std/cmath>\n" + replaced(replaced(kCuda, "fmaxf(", "cuda::std::fmax("), "1024>",
                                                               "1024> C10_LAUNCH_BOUNDS_1(1024)"));
  write("compile_commands.json", R"([{"directory": ")" + scratch_.path +
                                     R"(", "file": "softmax.cu", "command": "nvcc -DBINDINGS -c softmax.cu"}])");
  const Ran automatic = check("softmax.cu", "--op softmax_forward --arch sm_80 -p " + scratch_.path);
  EXPECT_EQ(automatic.exit_code, 0) << automatic.out << automatic.err;
  EXPECT_THAT(
      selftest::unwrapped(automatic.out),
      AllOf(HasSubstr("By nvcc's PTX, because from source"),
            HasSubstr("Left out, because they are not here: torch/not_even_with_torch.h (PyTorch: pip install")));
  const Ran source = check("softmax.cu", "--op softmax_forward --via source");
  EXPECT_EQ(source.exit_code, 2);
  EXPECT_THAT(source.err, HasSubstr("inline PTX"));
}

TEST_F(Ptx, WithoutNvccIsSaid) {
  setenv("ASSAY_WITHOUT", "nvcc", 1);
  const std::string why =
      "nvcc is hidden by ASSAY_WITHOUT; `scripts/setup --cuda` fetches one, or put it on PATH; no GPU is needed\n";
  write("softmax.cu", kCuda);
  const Ran by_ptx = check("softmax.cu", "--op softmax_forward --via ptx");
  EXPECT_EQ(by_ptx.exit_code, 2);
  EXPECT_EQ(by_ptx.err, "assay: " + why);
  const Ran automatic = check("softmax.cu", "--op softmax_forward");
  EXPECT_EQ(automatic.exit_code, 2);
  EXPECT_THAT(automatic.err, AllOf(HasSubstr("inline PTX"),
                                   testing::EndsWith("nvcc would take it to the executor by its PTX, and " + why)));
  unsetenv("ASSAY_WITHOUT");
}

// A macro makes the kernel, a header has its types, and its only instance is that of a launch.
TEST_F(Ptx, KernelsAreAsNvccHasThem) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  write("types.h", "typedef const float* input;\nusing count = long;\n");
  write("add.cu", R"(#include "types.h"
#define BINARY(NAME, OP)                                                                     \
  template <int kThreads>                                                                    \
  __global__ void __launch_bounds__(kThreads) NAME(input a, input b, float* out, count n) {  \
    count i = (count)blockIdx.x * kThreads + threadIdx.x;                                    \
    if (i < n) out[i] = a[i] OP b[i];                                                        \
  }
BINARY(residual_add, +)
constexpr int kBlock = 128;
extern "C" __global__ void unmangled(input a, count n) {}
void add(input a, input b, float* out, count n) {
  residual_add<kBlock><<<(n + kBlock - 1) / kBlock, kBlock>>>(a, b, out, n);
}
)");
  const std::string file = scratch_.path + "/add.cu ";
  const Ran listed =
      selftest::run("assay", "adapt " + file + "--via ptx --out - --op residual_add --kernel residual_add");
  EXPECT_THAT(listed.err, HasSubstr("add.cu:10: unmangled(const float* a, long n)\n"));
  EXPECT_THAT(listed.err,
              HasSubstr("add.cu:8: template <kThreads> residual_add(const float* a, const float* b, float* out, "
                        "long n); instances <128> of at most 128 threads\n"));
}

TEST_F(Ptx, RacesAreFoundAtTheLinesOfTheCudaFile) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  write("softmax.cu", kCuda);
  const Ran ran = check("softmax.cu", "--op softmax_forward --via ptx --checked -D RACY");
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  const std::string text = selftest::unwrapped(ran.out);
  EXPECT_THAT(text, AllOf(HasSubstr("RACE"), HasSubstr("shared part["), HasSubstr("(softmax.cu:17)"),
                          HasSubstr("(softmax.cu:22)"), Not(HasSubstr(".ptx:"))));
}

}  // namespace
}  // namespace assay
