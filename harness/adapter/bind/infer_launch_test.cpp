// Tests what is read of the file's own launch.
#include <gmock/gmock.h>

#include "harness/adapter/bind/infer_launch.h"
#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(Launch, IsTheFilesOwn) {
  const std::string kernel = "__global__ void softmax(const float* x, float* y, int rows, int cols) {}\n";
  const AdapterLaunch plain =
      infer("softmax_forward", kernel + "void f() { softmax<<<N, 256, 256 * sizeof(float)>>>(x, y, N, C); }")
          .adapter.launches[0];
  EXPECT_THAT(plain.grid, ElementsAre("rows"));
  EXPECT_THAT(plain.block, ElementsAre("256"));
  EXPECT_EQ(plain.shared, "1024");
  EXPECT_THAT(grid("softmax_forward", kernel + "void f(int N, int C, const int block_size) {\n"
                                               "  const int grid_size = CEIL_DIV(N * 32, block_size);\n"
                                               "  softmax<<<grid_size, block_size>>>(x, y, N, C);\n}"),
              ElementsAre("ceil_div(rows * 32, block)"));
  EXPECT_THAT(grid("softmax_forward", kernel + "#define THREADS 128\n"
                                               "void f(int N, int C) {\n  const int block = THREADS;\n"
                                               "  int grid = (N * C + block - 1) / block;\n"
                                               "  softmax<<<(unsigned)grid, block, 0, stream>>>(x, y, N, C);\n}"),
              ElementsAre("(rows * cols + 128 - 1) / 128"));
}

constexpr const char* kRows = "__global__ void k(const float* x, float* y, int rows, int cols) { blockDim.x; }\n";

AdapterLaunch launch_in(const std::string& host) {
  return infer("softmax_forward", kRows + host).adapter.launches.at(0);
}

TEST(Launch, IsReadInItsOwnFunction) {
  const std::string other = "void other() {\n  int block_size = 32;\n  int grid_size = 7;\n  use(block_size);\n}\n";
  const std::string own = "void own(int N, int C, int block_size) { k<<<N, block_size>>>(x, y, N, C); }\n";
  EXPECT_THAT(launch_in(other + own).block, ElementsAre("block"));
  EXPECT_THAT(launch_in(own + other).block, ElementsAre("block"));
  const Inferred grid_elsewhere =
      infer("softmax_forward", kRows + other + "void own(int N, int C) { k<<<grid_size, 64>>>(x, y, N, C); }\n");
  EXPECT_THAT(grid_elsewhere.adapter.launches[0].grid, ElementsAre("1"));  // the body reads no blockIdx
}

TEST(Launch, FixesOnlyWhatItSaysLiterally) {
  const auto block = [](const std::string& head, const std::string& size) {
    return launch_in(head + "void f(int N, int C, int given = 256) {" + size + " k<<<N, size>>>(x, y, N, C); }").block;
  };
  EXPECT_THAT(block("", "const int size = 128;"), ElementsAre("128"));
  EXPECT_THAT(block("#define SIZE 64\n", "auto size = SIZE;"), ElementsAre("64"));
  EXPECT_THAT(block("static constexpr int size = 2 * 32;\n", ""), ElementsAre("64"));
  EXPECT_THAT(block("", "int size = given;"), ElementsAre("block"));
  EXPECT_THAT(block("", "int size = 32; if (C > 1024) size = 512;"), ElementsAre("(cols > 1024) ? (512) : 32"));
  EXPECT_THAT(block("", "int size = 32; if (C > 1024) size = 512; if (N > 8) size = 64;"), ElementsAre("block"));
  EXPECT_THAT(block("", "for (int size = 32; size <= 1024; size *= 2)"), ElementsAre("block"));
  EXPECT_THAT(block("", "int sizes[] = {32, 64}; int size = sizes[C];"), ElementsAre("block"));
  EXPECT_THAT(block("int size = 32;\n", ""), ElementsAre("block"));
}

// Benchmarks have one instance for each size.
TEST(Launch, IsOfTheSizeThatTheConditionsAroundItSay) {
  const auto launch = [](const std::string& text) {
    const AdapterLaunch one = launch_in(
        "void f(float* x, float* y, int N, int C, int size) {\n"
        "  dim3 threads(size); " +
        text + "\n}");
    return one.grid[0] + " of " + one.block[0];
  };
  const std::string small = "k<<<N * C / size, threads>>>(x, y, N, C);", large = "k<<<1, 2>>>(x, y, N, C);";
  EXPECT_EQ(launch("if (size == 128) " + small + " else " + large), "rows * cols / 128 of 128");
  EXPECT_EQ(launch("if (128 == size && C > 4) { prepare(); " + small + " }"), "rows * cols / 128 of 128");
  EXPECT_EQ(launch("if (size == 64) g(1); else if (size == 128) " + small), "rows * cols / 128 of 128");
  EXPECT_EQ(
      launch("switch (size) { case 64: g(1); break; case 128: { " + small + " break; } case 256: " + large + " }"),
      "rows * cols / 128 of 128");
  const std::string open = "rows * cols / block of block";
  EXPECT_EQ(launch(small), open);
  EXPECT_EQ(launch("if (size == 128) g(1); " + small), open) << "after it";
  EXPECT_EQ(launch("if (size == 128) { g(1); } " + small), open);
  EXPECT_EQ(launch("if (size == 128 || C == 4) " + small), open);
  EXPECT_EQ(launch("if (size != 128) " + small), open);
  EXPECT_EQ(launch("switch (size) { case 64: case 128: " + small + " }"), open);
  EXPECT_EQ(launch("switch (size) { case 64: g(1); case 128: " + small + " }"), open) << "64 falls into it";
  const Inferred held =
      infer("softmax_forward",
            std::string(kRows) + "void f(int N, int C, int size) { if (size == 128) k<<<N, size>>>(x, y, N, C); }");
  EXPECT_THAT(held.adapter.launches[0].block, ElementsAre("128"));
  EXPECT_THAT(held.adapter.requirements, testing::IsEmpty()) << "128 == 128 says nothing";
}

TEST(Launch, OfAnInstanceForOneBlockSizeHasThatOne) {
  const auto inferred = [](const std::string& name, const std::string& text) {
    return infer("softmax_forward",
                 "constexpr int kUsual = 192;\ntemplate <int " + name +
                     ">\n__global__ void k(const float* x, float* y, int rows, int cols) { const int t = threadIdx.x;\n"
                     "  int r = blockIdx.x; blockDim.x; " +
                     text + " }\nvoid f(int N, int C, int size) { k<kUsual><<<N, size>>>(x, y, N, C); }");
  };
  const Inferred certain = inferred("BLOCK_DIM", "__shared__ float s[BLOCK_DIM]; s[t] = 0;");
  EXPECT_THAT(certain.adapter.blocks, ElementsAre(192));
  EXPECT_THAT(certain.launch_guesses, IsEmpty());
  EXPECT_THAT(certain.remarks, Contains(HasSubstr("192 threads, because BLOCK_DIM")));
  EXPECT_THAT(inferred("kThreads", "__shared__ float s[kThreads / 32];").launch_guesses, IsEmpty());
  for (const auto& [name, text] : {std::pair{"NUM_THREADS", "sum<NUM_THREADS>(x);"},
                                   std::pair{"Size", "__shared__ float s[Size]; s[threadIdx.x] = 0;"}}) {
    const Inferred likely = inferred(name, text);
    EXPECT_THAT(likely.adapter.blocks, ElementsAre(192)) << name;
    EXPECT_THAT(likely.launch_guesses, ElementsAre("the block is 192, as " + std::string(name)));
  }
  EXPECT_THAT(inferred("Tile", "__shared__ float s[Tile]; s[r] = 0;").adapter.blocks, IsEmpty());
  EXPECT_THAT(inferred("Tile", "__shared__ float s[Tile][4]; s[threadIdx.x][0] = 0;").adapter.blocks, IsEmpty());
}

// The host has one count, and the kernel two that are computed from it.
TEST(Launch, GivesItsOwnArgumentsWhereTheyAreComputed) {
  const auto launched = [](const std::string& host) {
    return infer("gelu_forward",
                 "__global__ void k(const float4* in, float4* out, int n_vec, int rest) {\n"
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n_vec) out[i] = in[i];\n}\n"
                 "void f(const float* in, float* out, int n, int threads) {" +
                     host + "}");
  };
  const Inferred parts = launched(
      "int vec = n / 4; int blocks = (vec + 255) / 256;"
      "k<<<blocks, 256>>>((const float4*)in, (float4*)out, vec, n % 4);");
  EXPECT_THAT(parts.adapter.launches[0].args, ElementsAre("x", "y", "N / 4", "N % 4"));
  EXPECT_THAT(parts.adapter.launches[0].grid, ElementsAre("((N / 4) + 255) / 256"));
  EXPECT_THAT(parts.remarks, Contains(HasSubstr("n_vec is N / 4, rest is N % 4")));
  const Inferred by_count = launched("k<<<(n + 1023) / 1024, 256>>>((const float4*)in, (float4*)out, n / 4, n % 4);");
  EXPECT_THAT(by_count.adapter.launches[0].grid, ElementsAre("(N + 1023) / 1024")) << "n is no parameter of k";
  // Names that cannot be followed to a count, blocks, and a caller's constants are none.
  for (const char* host :
       {"k<<<n, 256>>>(in, out, size(n), other.size() % 4);", "k<<<n, threads>>>(in, out, threads / 4, threads % 4);",
        "const int c = 64; k<<<c, 256>>>(in, out, c / 4, c % 4);"})
    EXPECT_THAT(launched(host).adapter.launches[0].args, ElementsAre("x", "y", "?", "?")) << host;
}

// A value that is divided by a number is not what its name says.
TEST(Launch, DividesACountThatIsNamedAsTheWholeOne) {
  const auto args = [](const std::string& given) {
    return infer("softmax_forward",
                 "__global__ void k(const float4* x, float4* y, int rows, int cols) { blockDim.x; }\n"
                 "void f(const float* x, float* y, int N, int C) { int T = N * 2; k<<<N, 64>>>((const float4*)x, "
                 "(float4*)y, " +
                     given + "); }")
        .adapter.launches[0]
        .args;
  };
  EXPECT_THAT(args("N, C / 4"), ElementsAre("x", "y", "rows", "cols / 4"));
  EXPECT_THAT(args("T, C"), ElementsAre("x", "y", "rows", "cols")) << "its name says rows";
}

TEST(Launch, IsSaidWithItsLine) {
  EXPECT_THAT(infer("softmax_forward", std::string(kRows) + "void f(int N, int C) {\n  const int warps = 4;\n"
                                                            "  const int size = warps * 32;\n\n"
                                                            "  k<<<N, size>>>(x, y, N, C);\n}")
                  .remarks,
              Contains("The launch is that of line 6."));
}

TEST(Launch, OfASquareStaysOpen) {
  EXPECT_THAT(launch_in("void f(int N) { k<<<N, 64>>>(x, y, N, N); }").grid, ElementsAre("1"));  // not "cols"
}

TEST(Launch, OfTwoAxesIsFollowedThroughDim3) {
  const AdapterLaunch launch =
      infer("transpose_2d",
            "__global__ void t(const float* in, float* out, int rows, int cols) {}\n"
            "void f() {\n  dim3 threads(32, 8);\n  dim3 blocks((n + 31) / 32, divUp(m, 32), 1);\n"
            "  t<<<blocks, threads>>>(a, b, m, n);\n}")
          .adapter.launches[0];
  EXPECT_THAT(launch.grid, ElementsAre("(cols + 31) / 32", "ceil_div(rows, 32)"));
  EXPECT_THAT(launch.block, ElementsAre("32", "8"));
}

TEST(Launch, OfATorchExtensionIsFollowed) {
  const Inferred inferred = infer("rms_norm_forward", R"(
template <typename scalar_t>
__global__ void rms_norm_kernel(scalar_t* __restrict__ out, const scalar_t* __restrict__ input,
                                const scalar_t* __restrict__ weight, const float epsilon, const int num_tokens,
                                const int hidden_size) { extern __shared__ float s[]; }
void rms_norm(torch::Tensor& out) {
  int hidden_size = input.size(-1);
  dim3 grid(num_tokens);
  dim3 block(std::min(hidden_size, 1024));
  DISPATCH(rms_norm_kernel<scalar_t><<<grid, block, block_bytes(), stream>>>(
      out.data_ptr<scalar_t>(), input.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), epsilon, num_tokens,
      hidden_size));
})");
  const AdapterLaunch& launch = inferred.adapter.launches[0];
  EXPECT_THAT(launch.args, ElementsAre("y", "x", "gamma", "eps", "T", "aE"));
  EXPECT_THAT(launch.grid, ElementsAre("T"));
  EXPECT_THAT(launch.block, ElementsAre("min(aE, 1024)"));
  EXPECT_THAT(inferred.unknown, Contains(HasSubstr("dynamic shared memory: the launch in line 10 computes it from "
                                                   "'block_bytes'")));
  EXPECT_THAT(fixes(inferred), Contains("pad = 0"));
}

TEST(Launch, OfARowsThreadsIsForRowsThatFitABlock) {
  const Inferred inferred = infer("softmax_forward", R"(
__global__ void k(const float* x, float* y, int rows, int cols) {}
void f(const float* x, float* y, int rows, int cols) { k<<<rows, cols>>>(x, y, rows, cols); }
)");
  EXPECT_THAT(inferred.adapter.launches[0].block, ElementsAre("cols"));
  EXPECT_THAT(inferred.adapter.requirements, ElementsAre("cols > 0", "cols <= 1024"));
}

TEST(Launch, BlocksOfOneSizeAreNoOthersGrid) {
  const auto line = [](const std::string& host) { return infer("softmax_forward", kRows + host).authors_line; };
  EXPECT_EQ(line("void f() { k<<<64, 128>>>(x, y, 64, 1024); }"), 0);
  EXPECT_EQ(line("void f(int N) { k<<<N, 128>>>(x, y, N, 1024); }"), 2);
  EXPECT_EQ(line("void f() { k<<<1, 128>>>(x, y, 1, 1024); }"), 2);
  EXPECT_EQ(line("void f(int N, int C) { k<<<32, 128>>>(x, y, N, C); }"), 2) << "whatever the sizes are";
}

TEST(Launch, RoundsUpByTheThreadsOfItsBlock) {
  const std::string kernel =
      "__global__ void k(const float* x, float* y, int rows, int cols) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < rows * cols) y[i] = x[i];\n}\n";
  const auto grid_for = [&](const std::string& text) {
    return grid("softmax_forward",
                kernel + "void f(int n, int m) { dim3 block(256); k<<<" + text + ", block>>>(x, y, n, m); }");
  };
  EXPECT_THAT(grid_for("dim3((unsigned int)ceil(n * m / (float)block.x))"), ElementsAre("ceil_div(rows * cols, 256)"));
  EXPECT_THAT(grid_for("blocks_for(n)"), ElementsAre("ceil_div(rows * cols, 256)"));  // from the body, by its block
}

TEST(Launch, ThatCannotBeFollowedComesFromTheBody) {
  const Inferred inferred = infer("softmax_forward",
                                  "__global__ void k(const float* x, float* y, int rows, int cols) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= rows) return;\n}\n"
                                  "void f() { k<<<device.sms(), threads>>>(x, y, rows, cols); }");
  EXPECT_THAT(inferred.adapter.launches[0].grid, ElementsAre("ceil_div(rows, block)"));
  EXPECT_THAT(inferred.remarks, Contains(HasSubstr("the launch in line 5 computes it from 'device'")));
}

// With a number for a size in the arguments and in the grid, both are that size.
TEST(Launch, ANumberForASizeIsItInTheGrid) {
  const std::string kernel =
      "__global__ void k(const float* x, float* y, int rows, int cols) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < rows * cols) y[i] = x[i];\n}\n";
  const auto inferred = [&](const std::string& block) {
    return infer("softmax_forward",
                 kernel + "void f(const float* x, float* y, int n) {\n  int all = n * 10;\n  k<<<(all + 255) / " +
                     block + ", " + block + ">>>(x, y, n, 10);\n}");
  };
  EXPECT_THAT(launch(inferred("256")).grid.at(0), HasSubstr("rows * cols"));
  EXPECT_EQ(inferred("256").authors_line, 6);
  EXPECT_EQ(inferred("10").authors_line, 0) << "which 10 is it?";
}

// N rows of M columns, whatever the letters usually mean.
TEST(Launch, IndicesSayWhichOfTwoLettersIsARowsLength) {
  const CudaSource source = read(
      "__global__ void k(const float* input, float* output, int N, int M) {\n"
      "  for (int i = threadIdx.x; i < M; i += blockDim.x) output[blockIdx.x * M + i] = input[blockIdx.x * M + i];\n}\n"
      "void f(const float* x, float* y, int N, int M) { k<<<N, 32>>>(x, y, N, M); }");
  const auto all = candidates_for_kernel(source, source.kernels.at(0), *find_op("softmax_forward"), "k.cu");
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(launch(all[0]).args, (Texts{"x", "y", "rows", "cols"}));
  EXPECT_THAT(all[0].guesses, IsEmpty());
}

TEST(Launch, PartsOfASizeThatItPassesAreWhole) {
  const auto demanded = [](const std::string& pairs) {
    const CudaSource source = read(
        "__global__ void k(const float* x, float* y, int T, int pairs) {\n"
        "  int r = blockIdx.x; for (int p = threadIdx.x; p < pairs; p += blockDim.x) y[r * pairs + p] = x[p];\n}\n"
        "void f(const float* x, float* y, int rows, int cols) { k<<<rows, 128>>>(x, y, rows, " +
        pairs + "); }");
    return infer_adapter(source, source.kernels.at(0), *find_op("softmax_forward"), "k.cu").adapter.requirements;
  };
  EXPECT_THAT(demanded("cols / 2"), Contains("cols % 2 == 0"));
  EXPECT_THAT(demanded("(cols + 1) / 2"), IsEmpty());
}

TEST(Launch, EachPartOfItsConditionCountsAlone) {
  const auto demanded = [](const std::string& condition) {
    const CudaSource source = read(
        "__global__ void k(const float* x, float* y, int rows, int cols) {\n"
        "  for (int i = threadIdx.x; i < cols; i += 128) y[blockIdx.x * cols + i] = x[blockIdx.x * cols + i];\n}\n"
        "bool may(const float* x);\n"
        "void f(const float* x, float* y, int rows, int cols) { if (" +
        condition + ") k<<<rows, 128>>>(x, y, rows, cols); }");
    return infer_adapter(source, source.kernels.at(0), *find_op("softmax_forward"), "k.cu").adapter.requirements;
  };
  EXPECT_THAT(demanded("may(x) && cols % 4 == 0"), ElementsAre("cols % 4 == 0"));
  EXPECT_THAT(demanded("(may(x) && rows > 1) && (cols % 4 == 0 || cols < 9)"),
              UnorderedElementsAre("rows > 1", "cols % 4 == 0 || cols < 9"));
  EXPECT_THAT(demanded("may(x) || cols % 4 == 0"), IsEmpty());
}

TEST(Launch, NeedsTheSharedMemoryOfTheFileAndOfWhatItCalls) {
  const auto declared = [](const std::string& before, const std::string& body) {
    const CudaSource source = read(before + "__global__ void k(const float* x, float* y, int n) { " + body + " }");
    return source.kernels.at(0).facts.dynamic_shared;
  };
  EXPECT_EQ(declared("extern __shared__ float s[];\n", "s[0] = x[0];"), "extern __shared__ float s[]");
  EXPECT_EQ(declared("extern __shared__ float s[];\n", "y[0] = x[0];"), "");
  EXPECT_EQ(declared("__device__ float f(float v) { extern __shared__ double d[]; d[0] = v; return v; }\n",
                     "y[0] = f(x[0]);"),
            "extern __shared__ double d[]");
}

TEST(Launch, ArgumentsByEachOthersNamesAreNoted) {
  const auto exchanged = [](const std::string& arguments) {
    return infer("softmax_forward",
                 "__global__ void k(const float* x, float* y, int rows, int cols) {\n"
                 "  y[blockIdx.x * cols + threadIdx.x] = x[blockIdx.x * cols + threadIdx.x];\n}\n"
                 "void f(const float* x, float* y, int rows, int cols) { k<<<rows, 32>>>(" +
                     arguments + "); }")
        .exchanged;
  };
  EXPECT_EQ(exchanged("x, y, cols, rows"), "line 4 does not pass cols for rows and rows for cols");
  EXPECT_EQ(exchanged("x, y, rows, cols"), "");
  EXPECT_EQ(exchanged("y, x, cols, rows"), "") << "the matrix turned over";
}

}  // namespace
}  // namespace assay
