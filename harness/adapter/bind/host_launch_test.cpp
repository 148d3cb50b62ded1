// Tests what the names of a launch come to that stand for no argument of the kernel.
#include "harness/adapter/bind/host_launch.h"

#include <gmock/gmock.h>

#include <set>

#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

const std::string kNorm =
    "__global__ void norm(const float* x, float* y, const float* gamma, int hidden, float eps) {\n"
    "  y[blockIdx.x * hidden + threadIdx.x] = x[blockIdx.x * hidden + threadIdx.x] * gamma[threadIdx.x];\n}\n";

// The grid of main()'s launch, as the reader has it.
std::vector<std::string> read_grid(const std::string& before, const std::string& launch) {
  const CudaSource source = read(
      "void use(int n); int* allocate(int n);\n__global__ void k(float* x, int n) {}\n"
      "int main() { float* x = 0; " +
      before + " k" + launch + "; }\n");
  std::vector<std::string> all = {source.launches.at(0).configuration.at(0)};
  all.push_back(source.launches[0].arguments.at(1));
  return all;
}

// A norm that adds its sums up by halves of its block, as `run` of the same file launches it. Its input is named so
// that the launch in the caller alone says which it is.
Inferred tree_launched(const std::string& run) {
  const auto all = candidates("rms_norm_forward", R"(
extern __shared__ float sums[];
__global__ void norm(const float* rows, float* y, const float* gamma, int hidden, float eps) {
  const int threads = blockDim.x;
  sums[threadIdx.x] = rows[blockIdx.x * hidden + threadIdx.x];
  for (int s = threads / 2; s > 0; s /= 2) sums[threadIdx.x] += sums[threadIdx.x + s];
  y[blockIdx.x * hidden + threadIdx.x] = sums[0] * gamma[threadIdx.x];
})" + run);
  return first(all, [](const Inferred& each) { return !launch(each).is_launcher; });
}

TEST(HostLaunch, SharedMemoryOfABlockThatAFunctionChoosesIsAsLargeAsThatIs) {
  const Inferred own = tree_launched(R"(
int threads_for(int n) { int t = 1; while (t < n) t *= 2; return t; }
void run(const float* x, float* y, const float* gamma, int n, int hidden, float eps) {
  const int threads = threads_for(hidden);
  norm<<<n, threads, threads * sizeof(float)>>>(x, y, gamma, hidden, eps);
})");
  EXPECT_THAT(launch(own).block, ElementsAre("block"));
  EXPECT_EQ(launch(own).shared, "block * 4");
  EXPECT_THAT(own.launch_guesses, Contains("blocks have any size"));
}

TEST(HostLaunch, BlocksThatAreHalvedAreAGuessWhereTheFileComputesThem) {
  const std::string parameters = "const float* x, float* y, const float* gamma, int n, int hidden, float eps",
                    call = "  norm<<<n, threads, 4096>>>(x, y, gamma, hidden, eps);\n}\n";
  const Inferred computed =
      tree_launched("void run(" + parameters + ") {\n  int threads = hidden; threads += threads % 32;\n" + call);
  EXPECT_THAT(computed.adapter.blocks, IsSupersetOf({64, 128}));
  EXPECT_THAT(computed.adapter.blocks, Not(Contains(96)));
  EXPECT_THAT(computed.launch_guesses, Contains(kPowersOfTwo));
  const Inferred given = tree_launched("void run(" + parameters + ", int threads, cudaStream_t* unknown) {\n" + call);
  EXPECT_THAT(given.adapter.blocks, Not(Contains(96)));
  EXPECT_THAT(given.launch_guesses, Not(Contains(kPowersOfTwo))) << "its caller chooses";
}

TEST(HostLaunch, AWarpInAGridIsNoSizeOfTheSameNumber) {
  const auto all = candidates("attention_backward_delta", R"(
__global__ void dots(float* delta, const float* dO, const float* O, int S, int H, int D, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row < rows) delta[row] = dO[row * D] * O[row * D];
}
template <int D> void run(float* delta, const float* dO, const float* O, int B, int S, int H) {
  const int rows = B * H * S;
  dots<<<(rows * 32 + 127) / 128, 128>>>(delta, dO, O, S, H, D, rows);
}
template void run<32>(float*, const float*, const float*, int, int, int);
)");
  EXPECT_THAT(launch(all.at(0)).grid.at(0), HasSubstr("* 32"));
}

TEST(HostLaunch, SizesThatMainWritesOutKeepTheirNames) {
  EXPECT_THAT(read_grid("int N = 1 << 20;", "<<<(N + 255) / 256, 256>>>(x, N)"), ElementsAre("(N + 255) / 256", "N"));
  EXPECT_THAT(read_grid("const int R = 32768, D = 4096; use(R * D);", "<<<R, 256>>>(x, D / 4)"),
              ElementsAre("R", "D / 4"));
  EXPECT_THAT(read_grid("const int blocks = 128;", "<<<blocks, 256>>>(x, 7)"), ElementsAre("128", "7"))
      << "elements are shared out to them";
  EXPECT_THAT(read_grid("const int R = 64; dim3 grid(R); use(R);", "<<<grid, 256>>>(x, 7)"), ElementsAre("R", "7"));
}

TEST(HostLaunch, AValueOfBeforeAnAssignmentIsNotThatOfTheLaunch) {
  const auto shared = [](const std::string& between) {
    return read(
               "__global__ void k(float* x, int n) {}\nvoid f(float* x, int n) {\n"
               "  int threads = n / 2; threads = threads / 32 * 32; int bytes = threads * 4; " +
               between + " k<<<n, threads, bytes>>>(x, n); }\n")
        .launches.at(0)
        .configuration.at(2);
  };
  EXPECT_EQ(shared(""), "(threads * 4)");
  EXPECT_THAT(shared("threads = n;"), HasSubstr("threads_of_line_"));
}

TEST(HostLaunch, AnAssignmentBeforeALaunchInItsBlockIsItsValue) {
  const auto grid = [](const std::string& body) {
    return read("void use(int n);\n__global__ void k(float* x, int n) {}\nvoid f(float* x, int n) { int g = 0; " +
                body + " }\n")
        .launches.at(0)
        .configuration.at(0);
  };
  EXPECT_EQ(grid("switch (n) { case 1: g = 2; use(g); break; default: g = (n + 3) / 4; k<<<g, 64>>>(x, n); }"),
            "((n + 3) / 4)");
  EXPECT_EQ(grid("if (n > 4) { g = n / 4; k<<<g, 64>>>(x, n); } else { g = n; use(g); }"), "(n / 4)");
  EXPECT_EQ(grid("g = n; k<<<g, 64>>>(x, n); g = 7; use(g);"), "n");
  for (const char* open :
       {"if (n > 4) g = n / 4; k<<<g, 64>>>(x, n); g = 2;", "switch (n) { case 1: g = 2; case 2: k<<<g, 64>>>(x, n); }",
        "g = n; for (int i = 0; i < 3; ++i) { k<<<g, 64>>>(x, n); g = 7; }"})
    EXPECT_EQ(grid(open), "g") << open;
}

TEST(HostLaunch, NumbersOfACallerAreAnyBlockAndNoSharedMemory) {
  const auto all = candidates("residual_add", R"(
__global__ void k(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
void run(const float* a, const float* b, float* out, int n, unsigned gx, unsigned gy, unsigned bx, unsigned by,
         unsigned bytes) {
  dim3 grid(gx, gy), block(bx, by);
  k<<<grid, block, bytes>>>(a, b, out, n);
})");
  const Inferred by_indices =
      first(all, [](const Inferred& each) { return launch(each).grid[0] == "ceil_div(T * aE, block)"; });
  EXPECT_THAT(launch(by_indices).block, ElementsAre("block"));
  EXPECT_EQ(launch(by_indices).shared, "0");
}

TEST(HostLaunch, ABlockThatAFunctionComputesIsAnyWhereTheKernelAsksForIt) {
  const auto of = [](const std::string& body) {
    return infer(
        "softmax_forward",
        "int best(int n);\n__global__ void k(const float* x, float* y, int rows, int cols) {\n"
        "  " +
            body +
            " y[blockIdx.x * cols + threadIdx.x] = x[0];\n}\n"
            "void f(const float* x, float* y, int rows, int cols) { k<<<rows, best(cols)>>>(x, y, rows, cols); }");
  };
  const Inferred any = of("int step = blockDim.x;");
  EXPECT_THAT(launch(any).block, ElementsAre("block"));
  EXPECT_THAT(any.launch_guesses, Contains("blocks have any size"));
  EXPECT_EQ(any.authors_line, 0);
  EXPECT_THAT(launch(of("")).block, ElementsAre("?"));
}

TEST(HostLaunch, ALetterThatIsABlockIsASizeOfThatName) {
  const std::string kernel =
      "__global__ void k(const float* x, float* y) {\n"
      "  int at = blockIdx.x * blockDim.x + threadIdx.x; y[at] = x[at];\n}\n";
  const auto block = [&](const std::string& name) {
    return launch(infer("softmax_forward", kernel + "void f(int rows, int " + name +
                                               ", const float* x, float* y) { k<<<rows, " + name + ">>>(x, y); }"))
        .block;
  };
  EXPECT_THAT(block("C"), ElementsAre("cols"));
  EXPECT_THAT(block("threads"), ElementsAre("block"));
}

TEST(HostLaunch, AQuotientOfTwoUnknownsIsNoSize) {
  for (const Inferred& each : candidates("adamw", R"(
struct Model { int total, size; };
__global__ void k(float* p, const float* g, float* m, float* v, int n, float lr, float beta1, float beta2, float eps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] -= lr * g[i];
}
void f(Model* model, float* p, float* g, float* m, float* v, float lr) {
  k<<<dim3((model->total + model->size - 1) / model->size, 1), model->size>>>(p, g, m, v, model->total, lr, 0.9f,
                                                                              0.99f, 1e-8f);
})"))
    EXPECT_THAT(each.guesses, Not(Contains(HasSubstr("model->size - 1"))));
}

TEST(HostLaunch, TwoWordsForOneSizeAreItsFactors) {
  EXPECT_THAT(
      grid("rms_norm_forward", kNorm + "void f(const float* x, float* y, const float* g, int batch_size, int seq_len,\n"
                                       "       int hidden, float eps) {\n"
                                       "  norm<<<batch_size * seq_len, hidden>>>(x, y, g, hidden, eps);\n}"),
      testing::AnyOf(ElementsAre("T * 1"), ElementsAre("1 * T")));
}

TEST(HostLaunch, ASizeStandsInAProductOnce) {
  std::set<std::vector<std::string>> grids;
  for (const Inferred& each : candidates(
           "causal_softmax_backward",
           "__global__ void k(float* dx, const float* dy, const float* y, int T) {\n"
           "  const int row = blockIdx.x;\n"
           "  for (int i = threadIdx.x; i < T; i += blockDim.x) dx[row * T + i] = dy[row * T + i] * y[row * T + "
           "i];\n}\n"
           "void f(float* dx, float* dy, float* y, int B, int T, int NH) { k<<<B * NH * T, 128>>>(dx, dy, y, T); }"))
    if (each.filled_line != 0) grids.insert(launch(each).grid);
  EXPECT_THAT(grids, Contains(ElementsAre("1 * H * T")));
  EXPECT_THAT(grids, Not(Contains(ElementsAre("H * H * T"))));
  EXPECT_THAT(grids, Not(Contains(ElementsAre("T * H * T"))));
}

TEST(HostLaunch, AProductThatItPassesIsThatSizeInTheGrid) {
  EXPECT_THAT(grid("gelu_forward",
                   "__global__ void k(const float* x, float* y, int n) {\n"
                   "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i];\n}\n"
                   "void f(const float* x, float* y, int rows, int cols) {\n"
                   "  k<<<(rows * cols) / 256, 256>>>(x, y, rows * cols);\n}"),
              ElementsAre("(N) / 256"));
}

TEST(HostLaunch, SaysWhichInstanceIsJudged) {
  const auto remarks = [](const std::string& launches) {
    return infer("gelu_forward",
                 "template <int W> __global__ void k(const float* x, float* y, int N) { y[0] = x[0] * W; }\n"
                 "void f(const float* x, float* y, int N) { " +
                     launches + " }")
        .remarks;
  };
  EXPECT_THAT(remarks("if (N < 9) k<1><<<N, 32>>>(x, y, N); else k<2><<<N, 32>>>(x, y, N);"),
              Contains(HasSubstr("The file launches 2 instances of k, and that of 1 alone is judged.")));
  EXPECT_THAT(remarks("k<1><<<N, 32>>>(x, y, N);"), Not(Contains(HasSubstr("instances"))));
}

// The launch of a main() that adds two arrays.
Inferred added(const std::string& in_main) {
  const auto all = candidates("residual_add", R"(
__global__ void add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
int main() {
  float *a = 0, *b = 0, *out = 0;
)" + in_main + "}\n");
  return all.at(0);
}

TEST(HostLaunch, AGridForTheOneSizeOfAMainSaysNothingOfOthers) {
  const Inferred small = added("const int N = 8; add<<<1, 8>>>(a, b, out, N);");
  EXPECT_EQ(small.authors_line, 0);
  EXPECT_THAT(launch(small).grid, ElementsAre("ceil_div(T * aE, 8)"));
  EXPECT_EQ(added("int N = 100; add<<<1, 256>>>(a, b, out, N);").authors_line, 0);
  EXPECT_NE(added("const int N = 2000; add<<<1, 256>>>(a, b, out, N);").authors_line, 0)
      << "it is too small there, too";
}

TEST(HostLaunch, AGridOfOneSizeTwiceIsForTheMatricesOfAMain) {
  const auto turned = [](const std::string& host, const std::string& width) {
    return candidates("transpose_2d", R"(
__global__ void turn(const float* in, float* out, int rows, int cols) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
)" + host + "\n  dim3 grid((" + width + " + 31) / 32, (N + 31) / 32), block(32, 32);\n" +
                                          "  turn<<<grid, block>>>(in, out, N, D);\n}\n")
        .at(0);
  };
  const std::string in_main = "int main() { float *in = 0, *out = 0; const int N = 1024, D = 64;";
  const Inferred squares = turned(in_main, "N");
  EXPECT_EQ(squares.authors_line, 0);
  EXPECT_THAT(launch(squares).grid, ElementsAre("ceil_div(cols, 32)", "ceil_div(rows, 32)"));
  EXPECT_NE(turned(in_main, "D").authors_line, 0);
  EXPECT_NE(turned("void f(const float* in, float* out, int N, int D) {", "N").authors_line, 0) << "of any N and D";
}

TEST(HostLaunch, AQuotientThatIsWholeForTheOneSizeOfAMainIsRoundedUp) {
  const Inferred whole = added("const int N = 2048; add<<<N / 16, 16>>>(a, b, out, N);");
  EXPECT_THAT(launch(whole).grid, ElementsAre("ceil_div(T * aE, 16)"));
  EXPECT_NE(whole.authors_line, 0);
  const Inferred part = added("const int N = 2040; add<<<N / 16, 16>>>(a, b, out, N);");
  EXPECT_THAT(launch(part).grid, ElementsAre("(T * aE) / 16"));
}

// A demo's threads are as many as its own data, which other cases have more of; a library's are what its author meant.
TEST(HostLaunch, NumbersOfAFunctionWithSizesOfItsOwnAreForThoseAlone) {
  const auto grids = [](const std::string& head, const std::string& size) {
    std::set<Texts> all;
    for (const Inferred& each :
         candidates("residual_add",
                    "__global__ void k(const float* a, const float* b, float* out, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = a[i] + b[i];\n}\n"
                    "int length_of(const float*);\n" +
                        head + " { k<<<1, 8>>>(a, b, out, " + size + "); }"))
      if (!launch(each).is_launcher && launch(each).args[3] == "T * aE") all.insert(launch(each).grid);
    return all;
  };
  EXPECT_THAT(grids("float *a, *b, *out;\nint main()", "length_of(a)"), ElementsAre(Texts{"ceil_div(T * aE, 8)"}));
  EXPECT_THAT(grids("void add(const float* a, const float* b, float* out, int n)", "n"), Contains(Texts{"1"}));
}

}  // namespace
}  // namespace assay
