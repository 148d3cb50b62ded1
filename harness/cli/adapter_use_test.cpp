// Adapters by the command line: one number for a tensor, mistakes with their lines, and a replay after the kernel
// changed.
#include <gmock/gmock.h>

#include "harness/cli/test_adapter_use.h"
#include "harness/cli/test_usage_error.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::run;
using selftest::unwrapped;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A scale for all elements alike, where the op has one for each column.
constexpr const char* kScaleByANumber = R"(__global__ void norm(const float* x, float* y, float scale, int n) {
  const float* row = x + blockIdx.x * n;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += row[i] * row[i];
  const float r = rsqrtf(sum / n + 1e-5f);
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * n + i] = row[i] * r * scale;
}
)";
constexpr const char* kAdapter = R"(op = "rms_norm_forward"
source = "k.cu"
fix = { pad = "0", eps = "1e-5" }
omits = ["rstd"]
constant = { gamma = 1.5 }
dtypes = ["f32"]

[[launch]]
entry = "norm"
args = ["x", "y", "gamma[0]", "aE"]
grid = ["T"]
)";

TEST_F(AdapterUse, AConstantIsInEveryElementAndAChangedKernelIsReplayedAsItIs) {
  write("k.cu", kScaleByANumber);
  write("k.toml", kAdapter);
  const Ran right = check("--cases 8");
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  std::string varied = kAdapter;
  varied.erase(varied.find("constant"), varied.find("dtypes") - varied.find("constant"));
  write("k.toml", varied);
  const Ran wrong = check("--cases 8");
  EXPECT_EQ(wrong.exit_code, 1) << "each column has a scale of its own again";
  EXPECT_THAT(wrong.out, HasSubstr("MISMATCH"));

  write("k.toml", kAdapter);
  std::string broken = kScaleByANumber;
  broken.replace(broken.find("* scale"), 7, "+ scale");
  write("k.cu", broken);
  const std::string line = "'rms_norm_forward/norm f32 T=2 aE=5 pad=0 eps=1e-5 fill=normal seed=1 block=32' --source " +
                           scratch_.path + "/k.cu";
  EXPECT_EQ(run("assay", "replay " + line).exit_code, 1);
  write("k.cu", kScaleByANumber);
  const Ran corrected = run("assay", "replay " + line);
  EXPECT_EQ(corrected.exit_code, 0) << corrected.out << corrected.err
                                    << "a module of the text before must not be taken";
}

TEST_F(AdapterUse, AKernelBehindAMacroIsReadWithIt) {
  write("k.cu", std::string("#ifdef USE_CUDA\n") + kScaleByANumber + "#endif\n");
  write("k.toml", kAdapter);
  const Ran ran = check("--cases 4");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(unwrapped(ran.out),
              HasSubstr("Read with USE_CUDA defined, without which the kernel or its launch is not there."));
}

// The kernel is in namespaces that its file alone tells.
TEST_F(AdapterUse, AnEntryNeedsNoNamespaces) {
  std::string text = kScaleByANumber;
  write("k.cu", "namespace mine::norms {\n" + text + "}\n");
  write("k.toml", kAdapter);
  const Ran ran = check("--cases 4");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

TEST_F(AdapterUse, MistakesNameTheirLine) {
  write("k.cu", kScaleByANumber);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = kAdapter;
    text.replace(text.find(from), from.size(), to);
    write("k.toml", text);
    const Ran ran = check("--cases 4");
    EXPECT_EQ(ran.exit_code, 2) << to << ran.out << ran.err;
    return unwrapped(ran.out + ran.err);
  };
  EXPECT_THAT(with("fix = {", "fix = { rows = \"1\","), AllOf(HasSubstr("k.toml:3"), HasSubstr("'rows'")));
  EXPECT_THAT(with("omits = [\"rstd\"]", "omits = [\"rstd\""), HasSubstr("k.toml:5"));
  EXPECT_THAT(with("gamma = 1.5", "gama = 1.5"), AllOf(HasSubstr("k.toml:5"), HasSubstr("gama")));
  EXPECT_THAT(with("gamma = 1.5", "gamma = \"much\""), HasSubstr("k.toml:5"));
  EXPECT_THAT(with("\"f32\"", "\"f33\""), AllOf(HasSubstr("k.toml:6"), HasSubstr("f33")));
  EXPECT_THAT(with("entry =", "entri ="), AllOf(HasSubstr("k.toml:9"), HasSubstr("entri")));
  EXPECT_THAT(with("\"aE\"]", "\"aE + cols\"]"), AllOf(HasSubstr("k.toml:10"), HasSubstr("cols")));
  EXPECT_THAT(with("[\"T\"]", "[\"tokens\"]"), AllOf(HasSubstr("k.toml:11"), HasSubstr("tokens")));
  EXPECT_THAT(with(", \"aE\"]", "]"), AllOf(HasSubstr("k.toml: line 9"), HasSubstr("takes 4 arguments")));
}

// A grid that holds for squares, and threads that leave others waiting where a block is not whole: other launches and
// fewer cases are right, and say nothing for these.
TEST_F(AdapterUse, TheAuthorsLaunchIsNotReplacedInSilence) {
  write("k.cu", R"(__global__ void turn(const float* p, float* q, int h, int w, bool log) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < w && y < h) q[x * h + y] = p[y * w + x];
}
int main() {
  float *p = nullptr, *q = nullptr; int h = 100, w = 100;
  turn<<<dim3((h + 15) / 16, (w + 15) / 16), dim3(16, 16)>>>(p, q, h, w, false);
})");
  const Ran turned = check("--op transpose_2d --cases 20");
  EXPECT_EQ(turned.exit_code, 1) << turned.out << turned.err;
  EXPECT_THAT(
      unwrapped(turned.out),
      AllOf(HasSubstr("As launched in line 7, elements stay unwritten; the same arguments are right in a grid of "
                      "(cols + 15) / 16 by (rows + 15) / 16."),
            HasSubstr("UNWRITTEN")));
  write("k.cu", R"(__global__ void add(const float* p, const float* q, float* r, int n, bool log) {
  __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    s[threadIdx.x] = p[i] + q[i];
    __syncthreads();
    r[i] = s[threadIdx.x];
  }
  __syncthreads();
  if (log) printf("%f", s[0]);
}
int main() {
  float *p = nullptr, *q = nullptr, *r = nullptr; int n = 512;
  add<<<(n + 255) / 256, 256>>>(p, q, r, n, false);
})");
  const Ran parts = check("--op residual_add --cases 20");
  EXPECT_EQ(parts.exit_code, 1) << parts.out << parts.err;
  EXPECT_THAT(
      unwrapped(parts.out),
      AllOf(HasSubstr("As launched in line 14, threads wait for others that do not come; the same arguments are "
                      "right where blocks are whole."),
            HasSubstr("BARRIER")));
}

TEST_F(AdapterUse, AKernelWithoutABodyIsNotTried) {
  write("k.cu",
        "__global__ void softmax_kernel(const float* x, float* y, int rows, int cols) {\n  // to be written\n}\n");
  const Ran ran = check("--op softmax_forward");
  EXPECT_EQ(ran.exit_code, 2) << ran.out;
  EXPECT_THAT(unwrapped(ran.err), HasSubstr("k.cu:1: the body of softmax_kernel is empty"));
}

// A narrowed scope is seen: on the console, in run.json and on the page.
TEST_F(AdapterUse, DataThatAreNotMeantAreLeftOutAndNamed) {
  write("k.cu", kScaleByANumber);
  write("k.toml", "skip_fills = [\"ties\"]\nfinite = true\n" + std::string(kAdapter));
  const Ran ran = check("--cases 60");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(unwrapped(ran.out),
              AllOf(HasSubstr("scope: rms_norm_forward/norm: Not meant for fill ties (skip_fills)."),
                    HasSubstr("scope: rms_norm_forward/norm: Not meant for NaN and infinities (finite).")));
  const std::string rows = selftest::read_text(scratch_.path + "/out/results.csv");
  EXPECT_THAT(rows, AllOf(HasSubstr("fill=normal"), Not(HasSubstr("fill=ties")), Not(HasSubstr("fill=nan")),
                          Not(HasSubstr("fill=infinities"))));
  for (const char* file : {"run.json", "report.html"})
    EXPECT_THAT(selftest::read_text(scratch_.path + "/out/" + file), HasSubstr("Not meant for fill ties")) << file;
}

TEST_F(AdapterUse, FixOnTheCommandLine) {
  write("k.cu", kScaleByANumber);
  std::string open = kAdapter;
  open.replace(open.find("fix = "), open.find("omits") - open.find("fix = "), "fix = { pad = \"3\" }\n");
  write("k.toml", open);
  EXPECT_EQ(check("--cases 8 --shrink 0").exit_code, 1) << "the kernel knows no padding";
  const Ran fixed = check("--cases 8 --fix pad=0");
  EXPECT_EQ(fixed.exit_code, 0) << fixed.out << fixed.err;
  selftest::expect_usage_error(check("--fix padd=0"), "--fix: 'padd' is no dim or attribute of rms_norm_forward",
                               "did you mean 'pad'?");
  selftest::expect_usage_error(check("--fix pad"), "'pad' is not NAME=VALUE", "--fix layout=head_major");
}

// No name says which curve it is, and the kernel is judged by the one that it is said to be.
TEST_F(AdapterUse, FixOfAnAttributeSettlesWhatInferenceWouldTry) {
  write("k.cu",
        "__global__ void gelu(const float* x, float* y, int N) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < N) y[i] = x[i] * 0.5f * (1 + erff(x[i] * 0.70710678f));\n}\n");
  const Ran ran = check("--op gelu_forward --fix form=tanh --cases 8 --shrink 0");
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr(" form=tanh "), Not(HasSubstr(" form=erf "))));
}

// Nothing in its text says which number is the rows'. A bug is the kernel's all the same: what is near the right values
// is bound rightly, and what has passed before stays bound as it was.
TEST_F(AdapterUse, ABugInAKernelIsNoGuess) {
  setenv("XDG_CACHE_HOME", (scratch_.path + "/cache").c_str(), 1);
  const auto with_sum_from = [&](const std::string& start) {
    write("k.cu", R"(__global__ void softmax(const float* p, float* q, int n, int cols) {
  if (blockIdx.x >= n || threadIdx.x != 0) return;
  const float* row = p + blockIdx.x * cols;
  float high = row[0], sum = )" +
                      start +
                      R"(;
  for (int i = 0; i < cols; ++i) high = fmaxf(high, row[i]);
  for (int i = 0; i < cols; ++i) sum += expf(row[i] - high);
  for (int i = 0; i < cols; ++i) q[blockIdx.x * cols + i] = expf(row[i] - high) / sum;
}
void launch(const float* p, float* q, int n, int cols) { softmax<<<n, 32>>>(p, q, n, cols); }
)");
    return check("--op softmax_forward --cases 8 --shrink 0");
  };
  const Ran near = with_sum_from("1");
  EXPECT_EQ(near.exit_code, 1) << near.out << near.err;
  EXPECT_THAT(unwrapped(near.out), AllOf(HasSubstr("% of the right ones so in larger cases, which no wrong guess "
                                                   "explains: what is wrong is the kernel's."),
                                         HasSubstr("MISMATCH")));
  const Ran right = with_sum_from("0");
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  const Ran far = with_sum_from("-7");
  EXPECT_EQ(far.exit_code, 1) << far.out << far.err;
  EXPECT_THAT(unwrapped(far.out), AllOf(HasSubstr("No binding candidate is right now. Judged by that which was, in "
                                                  "every case of a run on 20"),
                                        HasSubstr("MISMATCH")));
}

// A kernel that is right for whole blocks alone, in a grid that is rounded up; and one that is right for one token
// alone.
TEST_F(AdapterUse, CasesThatHideABugDoNotPass) {
  setenv("XDG_CACHE_HOME", (scratch_.path + "/cache").c_str(), 1);
  const std::string transpose = R"(__global__ void turn(const float* in, float* out, int size) {
  __shared__ float tile[16][17];
  int x = 16 * blockIdx.x + threadIdx.x, y = 16 * blockIdx.y + threadIdx.y;
  if (x < size && y < size) tile[threadIdx.y][threadIdx.x] = in[y * size + x];
  __syncthreads();
  int ox = 16 * blockIdx.y + threadIdx.x, oy = 16 * blockIdx.x + threadIdx.y;
  if (GUARD) out[oy * size + ox] = tile[threadIdx.x][threadIdx.y];
}
void launch(const float* in, float* out, int size) {
  turn<<<dim3((size + 15) / 16, (size + 15) / 16), dim3(16, 16)>>>(in, out, size);
})";
  const auto with = [](std::string text, const std::string& name, const std::string& by) {
    return text.replace(text.find(name), name.size(), by);
  };
  write("k.cu", with(transpose, "GUARD", "ox < size && oy < size"));
  EXPECT_EQ(check("--op transpose_2d --kernel turn --cases 8").exit_code, 0);
  write("k.cu", with(transpose, "GUARD", "oy < size"));
  const Ran lost = check("--op transpose_2d --kernel turn --cases 8 --shrink 0");
  EXPECT_EQ(lost.exit_code, 1) << lost.out << lost.err;
  EXPECT_THAT(unwrapped(lost.out), HasSubstr("As launched in line 10"));
  const std::string rows = R"(__global__ void softmax(const float* x, float* y, int B, int T, int C) {
  const int row = blockIdx.x;
  if (threadIdx.x != 0) return;
  const float* in = x + FROM * C;
  float high = in[0], sum = 0;
  for (int i = 0; i < C; ++i) high = fmaxf(high, in[i]);
  for (int i = 0; i < C; ++i) sum += expf(in[i] - high);
  for (int i = 0; i < C; ++i) y[row * C + i] = expf(in[i] - high) / sum;
}
void launch(const float* x, float* y, int B, int T, int C) { softmax<<<B * T, 32>>>(x, y, B, T, C); })";
  write("k.cu", with(rows, "FROM", "row"));
  EXPECT_EQ(check("--op softmax_forward --kernel softmax --cases 8").exit_code, 0);
  write("k.cu", with(rows, "FROM", "(row / T)"));
  setenv("XDG_CACHE_HOME", (scratch_.path + "/new").c_str(), 1);  // in which no binding was right
  const Ran one = check("--op softmax_forward --kernel softmax --cases 8");
  EXPECT_EQ(one.exit_code, 3) << one.out << one.err;
}

// Whoever leaves out every bound knows that there are whole tiles, however the grid is computed.
TEST_F(AdapterUse, AProductWithoutBoundsIsJudgedOnWholeTiles) {
  setenv("XDG_CACHE_HOME", (scratch_.path + "/cache").c_str(), 1);
  write("k.cu", R"(__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[16][16], b[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < K; t += 16) {
    a[threadIdx.y][threadIdx.x] = A[row * K + t + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(t + threadIdx.y) * N + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  C[row * N + col] = sum;
}
void launch(const float* A, const float* B, float* C, int M, int N, int K) {
  gemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
})");
  const Ran ran = check("--op gemm --kernel gemm --cases 4");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(unwrapped(ran.out), HasSubstr("Judged where M % 16 == 0 and N % 16 == 0 and K % 16 == 0"));
}

// min(256, T) threads are none where there are no tokens, as a grid of T is: a caller launches nothing then.
TEST_F(AdapterUse, AnEmptyBlockLaunchesNothing) {
  write("k.cu", kScaleByANumber);
  std::string adapter = kAdapter;
  adapter.replace(adapter.find("pad ="), 0, "T = \"0\", ");
  adapter.replace(adapter.find("[\"T\"]"), 5, "[\"1\"]");
  write("k.toml", adapter + "block = [\"min(256, T)\"]\n");
  const Ran ran = check("--op rms_norm_forward --cases 4");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("launch refused")));
}

}  // namespace
}  // namespace assay
