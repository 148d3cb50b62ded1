// Launchers and adapters that say what a kernel is for, end to end: what is generated, run and judged.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::run;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Launchers : public selftest::OneInFour<> {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_.path + "/" + name) << text;
  }
  Ran check(const std::string& name, const std::string& options) const {
    return run("assay",
               "check " + scratch_.path + "/" + name + " --no-save --out " + scratch_.path + "/out " + options);
  }
  selftest::Scratch scratch_;
};

// Template arguments that follow from the call, memory and a copy of the launcher's own, an error check that exits.
constexpr const char* kScaled = R"(#include <cstdio>
#include <cstdlib>
#define CHECK(call) if ((call) != cudaSuccess) { printf("failed\n"); exit(1); }
template <class T>
__global__ void transpose_kernel(T* out, const T* in, int rows, int cols, int* counter) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) counter[1] = counter[0];
  if (i < rows * cols) out[i % cols * rows + i / cols] = in[i];
}
void transpose(float* out, const float* in, int rows, int cols, int block_size) {
  int* counter;
  CHECK(cudaMalloc(&counter, 2 * sizeof(int)));
  CHECK(cudaMemset(counter, 0, sizeof(int)));
  transpose_kernel<<<(rows * cols + block_size - 1) / block_size, block_size>>>(out, in, rows, cols, counter);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(counter));
}
)";

// A case that an author refuses is neither right nor wrong.
TEST_F(Launchers, RefuseCasesByThrowing) {
  std::string text = kScaled;
  const std::string first = "  int* counter;\n  CHECK(cudaMalloc";
  text.insert(text.find(first), "  if (cols > 40) throw std::runtime_error(\"at most 40 columns\");\n");
  write("k.cu", "#include <stdexcept>\n" + text);
  const Ran ran = check("k.cu", "--op transpose_2d --cases 40");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("the launcher throws: at most 40 columns"));
}

TEST_F(Launchers, AreCalledAsTheyAre) {
  write("k.cu", kScaled);
  const Ran ran = check("k.cu", "--op transpose_2d --cases 12");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("transpose in line 10 is called as it is"));
  std::string wrong = kScaled;
  const std::string cleared = "  CHECK(cudaMemset(counter, 0, sizeof(int)));\n";
  wrong.replace(wrong.find(cleared), cleared.size(), "\n");
  write("k.cu", wrong);
  const Ran again = check("k.cu", "--op transpose_2d --cases 12");
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
  EXPECT_THAT(again.out, AllOf(HasSubstr("kernel transpose_kernel"), HasSubstr("memory of cudaMalloc[0]: read by"),
                               HasSubstr("k.cu:7")));
}

// A causal attention of square shapes, that keeps o only, stores it with heads and tokens exchanged, reads its scale
// from a tensor, and masks by a number.
TEST_F(Launchers, AdaptersSayWhatAKernelIsFor) {
  write("k.cu",
        R"(__global__ void attend(const float* q, const float* k, const float* v, float* o, int S, int D, float first) {
  const int i = blockIdx.x, d = threadIdx.x;
  float scores[64], sum = 0, value = 0;
  for (int j = 0; j < S; ++j) {
    scores[j] = 0;
    for (int e = 0; e < D; ++e) scores[j] += q[i * D + e] * k[j * D + e];
    scores[j] = j > i ? -1e9f : scores[j] / sqrtf((float)D);
  }
  float most = -1e30f;
  for (int j = 0; j < S; ++j) most = fmaxf(most, scores[j]);
  for (int j = 0; j < S; ++j) sum += expf(scores[j] - most);
  for (int j = 0; j <= i; ++j) value += expf(scores[j] - most) / sum * v[j * D + d];
  o[d * S + i] = first == q[0] || first != first ? value : 0;
}
)");
  write("k.toml", R"toml(op = "attention_forward"
source = "k.cu"
dtypes = ["f32"]
fix = { B = 1, H = "1", HK = "H", Sq = "Sk", causal = 1, scale = "auto" }
range = { Sk = [2, 40], D = ["4", "16", "20"] }
requires = ["layout == \"head_major\"", "dtype == \"f32\""]
omits = ["lse"]
mask_value = -1e9
[[launch]]
entry = "attend"
args = ["q", "k", "v", "transposed(o, 2, 3)", "Sq", "D", "q[0]"]
grid = ["Sq"]
block = ["D"]
)toml");
  const Ran ran = check("k.cu", "--cases 16");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("lse is not judged"), Not(HasSubstr("UNSUPPORTED"))));
}

// An output in f32 goes back as the case's bf16, and nothing else does.
TEST_F(Launchers, TakeCopiesOfAnotherType) {
  const auto outcome = [this](const std::string& sum) {
    write("k.cu",
          "#include <cuda_bf16.h>\n__global__ void add(const float* a, const __nv_bfloat16* b, float* out, int n) {\n"
          "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = " +
              sum + ";\n}\n");
    write("k.toml", R"toml(op = "residual_add"
source = "k.cu"
dtypes = ["bf16"]
fix = { alias = "none" }
[[launch]]
entry = "add"
args = ["converted<float>(a)", "b", "converted<float>(out)", "T * aE"]
grid = ["ceil_div(T * aE, block)"]
)toml");
    return check("k.cu", "--cases 16").exit_code;
  };
  EXPECT_EQ(outcome("a[i] + __bfloat162float(b[i])"), 0);
  EXPECT_EQ(outcome("a[i] - __bfloat162float(b[i])"), 1);
}

// The quotient is 0 in most of the cases that are generated.
TEST_F(Launchers, MayDemandWhatDividesByASize) {
  write("k.cu", R"(__global__ void add(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
)");
  write("k.toml", R"toml(op = "residual_add"
source = "k.cu"
dtypes = ["f32"]
fix = { alias = "none" }
requires = ["T % (aE / 4096) < 4096", "4096 / (T / 4096) >= 0"]
[[launch]]
entry = "add"
args = ["a", "b", "out", "T * aE"]
grid = ["ceil_div(T * aE, block)"]
)toml");
  const Ran ran = check("k.cu", "--cases 16");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace assay
