// Sizes under two names, or under BLAS's, tensors under names of others, and choices that nothing in a kernel says.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

TEST(Candidates, OfOneHeadTakeTheUsualChoicesFirst) {
  const auto all = candidates(
      "attention_forward",
      R"(__global__ void k(const float* Q, const float* K, const float* V, float* out, int n, int d_k, int d_v) {
  float sum = 0;
  for (int j = 0; j < n; ++j) {
    float score = 0;
    for (int i = 0; i < d_k; ++i) score += Q[blockIdx.x * d_k + i] * K[j * d_k + i];
    sum += expf(score) * V[j * d_v + threadIdx.x];
  }
  if (threadIdx.x < d_v) out[blockIdx.x * d_v + threadIdx.x] = sum;
}
void f(const float* Q, const float* K, const float* V, float* out, int n, int d_k, int d_v) {
  k<<<n, d_v>>>(Q, K, V, out, n, d_k, d_v);
})");
  ASSERT_THAT(all, Not(IsEmpty()));
  const auto fixed = [&](const std::string& name) {
    return std::ranges::find(all[0].adapter.fixed, name, &Fixed::name)->value;
  };
  EXPECT_EQ(fixed("causal"), "0");
  EXPECT_EQ(fixed("scale"), "auto");
  EXPECT_EQ(fixed("layout"), "token_major");
  EXPECT_TRUE(std::ranges::any_of(all, [](const Inferred& each) {
    return each.adapter.launches[0].args[5] == "D" && each.adapter.launches[0].args[6] == "D" &&
           std::ranges::find(each.adapter.fixed, "H", &Fixed::name) != each.adapter.fixed.end();
  })) << "one head, whose keys and values are as long";
}

// Whose indices stand in functions that the kernel hands its pointers to.
TEST(Candidates, TakeLeadingDimensionsForLengthsOfRows) {
  const auto all = candidates(
      "gemm",
      "__device__ float tile(const float* from, size_t pitch);\n"
      "__global__ void k(size_t m, size_t n, size_t k, const float* A, size_t lda, const float* B,"
      " size_t ldb, float* C, size_t ldc) { C[threadIdx.x] = tile(A, lda) * tile(B, ldb); }\n"
      "void f(size_t m, size_t n, size_t k_, const float* A, size_t lda, const float* B, size_t ldb, float* C,\n"
      "       size_t ldc) { k<<<1, 32>>>(m, n, k_, A, lda, B, ldb, C, ldc); }");
  ASSERT_THAT(all, Not(IsEmpty()));
  const std::map<std::string, std::pair<std::string, std::string>> lengths = {
      {"nn", {"K", "N"}}, {"nt", {"K", "K"}}, {"tn", {"M", "N"}}, {"tt", {"M", "K"}}};
  for (const Inferred& each : all) {
    const auto layout = std::ranges::find(each.adapter.fixed, "layout", &Fixed::name);
    const Texts& args = launch(each).args;
    if (layout == each.adapter.fixed.end() || launch(each).is_launcher || args[3] != "a" ||
        each.adapter.fixed.size() > 4)
      continue;
    EXPECT_EQ(std::pair(args[4], args[6]), lengths.at(layout->value)) << layout->value;
    EXPECT_EQ(args[8], "N");
  }
}

// A launcher that has a kernel for small sizes and one for large ones is called where it takes the one that is meant.
TEST(Candidates, OfALauncherThatChoosesTakeItsConditions) {
  const auto required = [](const std::string& host) {
    const auto all = candidates("softmax_forward",
                                "__global__ void k(float* out, const float* in, int n, int c, int* counter) {"
                                " out[blockIdx.x * c + threadIdx.x] = in[blockIdx.x * c]; }\n"
                                "__global__ void small(float* out, const float* in, int n, int c) { out[0] = in[0]; }\n"
                                "void run(float* out, const float* in, int n, int c) {\n" +
                                    host + "}\n");
    Texts found;
    for (const Inferred& each : all)
      if (launch(each).is_launcher && launch(each).args == Texts{"y", "x", "rows", "cols"})
        found = each.adapter.requirements;
    return found;
  };
  EXPECT_THAT(
      required("if (c % 64 == 0 && n > 8) k<<<n, 64>>>(out, in, n, c, 0); else small<<<n, 32>>>(out, in, n, c);"),
      testing::Contains(testing::HasSubstr("cols % 64 == 0")));
  EXPECT_THAT(required("if (c % 64 == 0) k<<<n, 64>>>(out, in, n, c, 0);"),
              Not(testing::Contains(testing::HasSubstr("% 64"))))
      << "it has no other";
}

TEST(Candidates, OfALauncherThatChoosesByAPointerTakeTheNumberOfTheKernel) {
  const auto calls = [](const std::string& choice) {
    std::set<Texts> all;
    for (const Inferred& each :
         candidates("residual_add",
                    "__global__ void k(const float* a, const float* b, float* c, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }\n"
                    "__global__ void other(const float* a, const float* b, float* c, int n) { c[0] = a[0] + b[0]; }\n"
                    "void run(int which, const float* a, const float* b, float* c, int n) {\n"
                    "  void (*f)(const float*, const float*, float*, int) = nullptr;\n" +
                        choice + "\n  f<<<(n + 255) / 256, 256>>>(a, b, c, n);\n}\n"))
      if (launch(each).is_launcher) {
        all.insert(launch(each).args);
        EXPECT_THAT(each.adapter.requirements, Not(Contains(testing::HasSubstr(" == ")))) << "it is given that number";
      }
    return all;
  };
  const auto numbers = [&](const std::string& choice) {
    std::set<std::string> all;
    for (const Texts& args : calls(choice)) all.insert(args.at(0));
    return all;
  };
  EXPECT_THAT(numbers("switch (which) { case 0: f = other; break; case 3: f = k; break; }"), ElementsAre("3"));
  EXPECT_THAT(numbers("if (which == 2) f = k; else f = other;"), ElementsAre("2"));
  EXPECT_THAT(numbers("f = n > 7 ? k : other;"), IsEmpty()) << "the other would be judged";
}

TEST(Candidates, OfACompleteLauncherTakeItsConditionsToo) {
  const CudaSource source = read(
      "__global__ void k(float* y, const float* x, int rows, int cols) { y[0] = x[0]; }\n"
      "__global__ void small(float* y, const float* x, int rows, int cols) { y[0] = x[0]; }\n"
      "void run(float* y, const float* x, int rows, int cols) {\n"
      "  if (cols % 64 == 0) k<<<rows, 64>>>(y, x, rows, cols); else small<<<rows, 32>>>(y, x, rows, cols);\n}\n");
  const Inferred entry = infer_entry(source, source.kernels.at(0), *find_op("softmax_forward"), "k.cu");
  ASSERT_TRUE(launch(entry).is_launcher);
  EXPECT_THAT(entry.adapter.requirements, Contains(testing::HasSubstr("cols % 64 == 0")));
  EXPECT_EQ(entry.stated_requirements, 1u);
}

// Frameworks that have tensors of floats alone keep indices in them.
TEST(Candidates, TakeIndicesInFloats) {
  const auto args = [](const std::string& index) {
    const auto all = candidates("embedding_forward",
                                "__global__ void k(const float* w, const float* input, float* y, int n, int width) {\n"
                                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                "  if (i < n) y[i] = w[" +
                                    index + " * width + i % width];\n}");
    return all.empty() ? Texts() : launch(all[0]).args;
  };
  for (const char* index : {"(int)input[i / width]", "static_cast<unsigned int>(input[i / width])"})
    EXPECT_THAT(args(index), testing::Contains("converted<float>(ids)")) << index;
  EXPECT_THAT(args("i / width + input[i]"), Not(testing::Contains("converted<float>(ids)")));
}

// A transpose into columns of the wrong length is a bug, and no matrix of one row.
TEST(Candidates, TakeNamesWhereIndicesAgreeWithNoSizes) {
  const auto all = candidates("transpose_2d",
                              "__global__ void k(const float* in, float* out, int height, int width) {\n"
                              "  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;\n"
                              "  if (row < height && col < width) out[col * width + row] = in[row * width + col];\n}\n"
                              "void f(const float* in, float* out, int h, int w) {\n"
                              "  k<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(in, out, h, w);\n}");
  ASSERT_THAT(all, Not(IsEmpty()));
  EXPECT_THAT(all[0].adapter.launches[0].args, ElementsAre("in", "out", "rows", "cols"));
  for (const Inferred& each : all) EXPECT_NE(each.adapter.launches[0].args[3], "1");
}

TEST(Candidates, CountElementsWhereAComparisonIsOneOff) {
  for (const char* within : {"i < n", "i <= n", "!(i > n)", "i < n - 1", "i + 1 < n"}) {
    const auto all = candidates("residual_add", fmt::format("__global__ void k(float* acc, const float* in, int n) {{\n"
                                                            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                                            "  if ({}) acc[i] += in[i];\n}}\n"
                                                            "void f(float* acc, const float* in, int n) {{\n"
                                                            "  k<<<(n + 255) / 256, 256>>>(acc, in, n);\n}}",
                                                            within));
    ASSERT_THAT(all, Not(IsEmpty()));
    EXPECT_EQ(all[0].adapter.launches[0].args[2], "T * aE") << within;
    EXPECT_EQ(all[0].bound, "n");
  }
}

// A kernel that asks whether k is in the matrix takes parts of tiles, unless it has a bug.
TEST(Candidates, DemandNoWholeTilesOfASizeThatTheKernelComparesWith) {
  const auto demands = [](const char* guard) {
    std::set<std::string> all;
    for (const Inferred& each : candidates(
             "gemm", fmt::format("__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {{\n"
                                 "  __shared__ float a[32][32], b[32][32];\n"
                                 "  int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;\n"
                                 "  float sum = 0;\n  for (int t = 0; t < K / 32; ++t) {{\n"
                                 "    a[threadIdx.y][threadIdx.x] = {} A[row * K + t * 32 + threadIdx.x] : 0;\n"
                                 "    b[threadIdx.y][threadIdx.x] = B[(t * 32 + threadIdx.y) * N + col];\n"
                                 "    __syncthreads(); sum += a[threadIdx.y][0] * b[0][threadIdx.x]; __syncthreads();\n"
                                 "  }}\n  C[row * N + col] = sum;\n}}\n"
                                 "void f(float* A, float* B, float* C, int M, int N, int K) {{\n"
                                 "  k<<<dim3((N + 31) / 32, (M + 31) / 32), dim3(32, 32)>>>(A, B, C, M, N, K);\n}}",
                                 guard)))
      if (const auto& args = each.adapter.launches[0].args;
          each.authors_line > 0 && args[3] == "M" && args[4] == "N" && args[5] == "K")
        all.insert(each.adapter.requirements.begin(), each.adapter.requirements.end());
    return all;
  };
  EXPECT_THAT(demands("true ?"), Contains("K % 32 == 0"));
  EXPECT_THAT(demands("(row < M && t * 32 + threadIdx.x < K) ?"), Not(Contains("K % 32 == 0")));
}

TEST(Candidates, TakeTwoSizesThatBoundOneIndexForOne) {
  const auto all = candidates("gemm", R"(
__global__ void k(const float* left, const float* right, float* out, int height_in, int width_of_left, int width_in,
                  int height_out, int width_out) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < width_of_left; ++i)
    if (row < height_in && col < width_in) sum += left[row * width_of_left + i] * right[i * width_in + col];
  if (row < height_out && col < width_out) out[row * width_out + col] = sum;
}
void f(const float* l, const float* r, float* out, int h_in, int w_left, int w_in, int h_out, int w_out) {
  k<<<dim3((w_out + 15) / 16, (h_out + 15) / 16), dim3(16, 16)>>>(l, r, out, h_in, w_left, w_in, h_out, w_out);
})");
  ASSERT_THAT(all, Not(IsEmpty()));
  EXPECT_THAT(launch(all[0]).args, ElementsAre("a", "b", "c", "M", "K", "N", "M", "N"));
}

TEST(Candidates, TakeAPointerWithoutRowsForNoMatrixWhateverItsLetter) {
  const auto all = candidates("gemm", R"(
__global__ void k(float* out, const float* x, const float* w, const float* b, int N, int K, int M) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= N || col >= M) return;
  float sum = b[col];
  for (int i = 0; i < K; i++) sum += x[row * K + i] * w[i * M + col];
  out[row * M + col] = sum;
}
void f(float* out, const float* x, const float* w, const float* b, int N, int K, int M) {
  k<<<dim3((M + 15) / 16, (N + 15) / 16), dim3(16, 16)>>>(out, x, w, b, N, K, M);
})");
  EXPECT_TRUE(std::ranges::any_of(
      all, [](const Inferred& each) { return launch(each).args == Texts{"c", "a", "b", "bias", "M", "K", "N"}; }));
}

TEST(Candidates, OfTwoSizesForAProductTakeTwoOfItsThreeForOne) {
  const auto all = candidates("gemm", R"(
__global__ void k(const float* P, const float* V, float* O, int N, int d) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= N || col >= d) return;
  float sum = 0;
  for (int i = 0; i < N; i++) sum += P[row * N + i] * V[i * d + col];
  O[row * d + col] = sum;
}
void f(const float* P, const float* V, float* O, int N, int d) {
  k<<<dim3((d + 15) / 16, (N + 15) / 16), dim3(16, 16)>>>(P, V, O, N, d);
})");
  EXPECT_TRUE(std::ranges::any_of(all, [](const Inferred& each) {
    const auto rows = std::ranges::find(each.adapter.fixed, "M", &Fixed::name);
    return launch(each).args == Texts{"a", "b", "c", "K", "N"} && rows != each.adapter.fixed.end() &&
           rows->value == "K";
  }));
}

TEST(Candidates, GiveAPointerToFlagsNoFlag) {
  for (const Inferred& each : candidates("gelu_forward", R"(
__global__ void k(const float* x, float* y, const bool* valid, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (valid == nullptr || valid[i])) y[i] = x[i];
})")) {
    EXPECT_NE(launch(each).args.at(2), "false");
    EXPECT_NE(launch(each).args.at(2), "true");
  }
}

}  // namespace
}  // namespace assay
