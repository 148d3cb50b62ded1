// Tests what candidates take for the sizes of tiles, of blocks and of rows where a kernel's numbers say them.
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <set>

#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

TEST(Candidates, ProductsByTilesMayNeedWholeOnesInEverySize) {
  const auto all = candidates(
      "gemm",
      "#define TILE 32\n__global__ void k(int M, int N, int K, const float* A, const float* B, float* C) {\n"
      "  __shared__ float As[TILE][TILE], Bs[TILE][TILE];\n"
      "  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x; float sum = 0;\n"
      "  for (int t = 0; t < K; t += TILE) { As[threadIdx.y][threadIdx.x] = A[row * K + t + threadIdx.x];\n"
      "    Bs[threadIdx.y][threadIdx.x] = B[(t + threadIdx.y) * N + col]; __syncthreads(); sum += As[0][0]; }\n"
      "  C[row * N + col] = sum;\n}\n"
      "void f(int M, int N, int K, const float* A, const float* B, float* C) {\n"
      "  k<<<dim3(N / TILE, M / TILE), dim3(TILE, TILE)>>>(M, N, K, A, B, C);\n}");
  std::set<Texts> requirements;
  for (const Inferred& each : all) requirements.insert(each.adapter.requirements);
  EXPECT_THAT(requirements, Contains(IsSupersetOf({"M % 32 == 0", "N % 32 == 0", "K % 32 == 0"})));
}

TEST(Candidates, AnIndexThatIsOneTooLargeIsBounded) {
  for (const Inferred& each :
       candidates("gemm",
                  "__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {\n"
                  "  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;\n"
                  "  if (row < M && col <= N) { float sum = 0;\n"
                  "    for (int i = 0; i < K; ++i) sum += A[row * K + i] * B[i * N + col];\n"
                  "    C[row * N + col] = sum; }\n}"))
    EXPECT_THAT(each.adapter.requirements, Not(Contains("N % 16 == 0")));
}

TEST(Candidates, ProductsByTilesMayNeedWholeOnesOfTheGridsOwnSizes) {
  const auto all =
      candidates("gemm",
                 "template <int T> __global__ void k(int M, int N, int K, const float* A, const float* B, float* C) {\n"
                 "  __shared__ float s[T * 8]; s[threadIdx.x] = A[blockIdx.y * 192 * K] + B[blockIdx.x * 128];\n"
                 "  __syncthreads(); C[(blockIdx.y * 192 + threadIdx.x) * N + blockIdx.x * 128] = s[0];\n}\n"
                 "void f(int M, int N, int K, const float* A, const float* B, float* C) {\n"
                 "  k<16><<<dim3((N + 127) / 128, (M + 191) / 192), 256>>>(M, N, K, A, B, C);\n}");
  std::set<Texts> requirements;
  for (const Inferred& each : all) requirements.insert(each.adapter.requirements);
  EXPECT_THAT(requirements, Contains(ElementsAre("M % 192 == 0", "N % 128 == 0", "K % 16 == 0")));
}

// The loop over K says its tile, the author's grid those of M and N.
TEST(Candidates, ProductsMayNeedWholeStepsAndWholeBlocks) {
  const auto requirements = [](const std::string& loop) {
    std::set<Texts> all;
    for (const Inferred& each : candidates(
             "gemm",
             "constexpr int BM = 64, BN = 48, BK = 8;\n__global__ void k(const float* A, const float* B, float* C,\n"
             "    int M, int N, int K, float alpha) {\n  __shared__ float As[BM][BK], Bs[BK][BN]; float sum = 0;\n" +
                 loop +
                 "{ As[0][0] = A[t]; Bs[0][0] = B[t]; __syncthreads(); sum += As[0][0] * Bs[0][0]; }\n"
                 "  C[blockIdx.y * BM * N + blockIdx.x * BN + threadIdx.x] = alpha * sum;\n}\n"
                 "void f(const float* A, const float* B, float* C, int M, int N, int K) {\n"
                 "  k<<<dim3((N + BN - 1) / BN, (M + BM - 1) / BM), 256>>>(A, B, C, M, N, K, 1.f);\n}"))
      all.insert(each.adapter.requirements);
    return all;
  };
  const auto whole = Contains(IsSupersetOf({"K % 8 == 0", "N % 48 == 0", "M % 64 == 0"}));
  EXPECT_THAT(requirements("  for (int t = 0; t < K; t += BK) "), whole);
  EXPECT_THAT(requirements("  for (int t = 0; t < K / BK; ++t) "), whole);
  EXPECT_THAT(requirements("  for (int t = 0; t < K; ++t) "), Not(whole));
  EXPECT_THAT(requirements("  for (int t = 0; t < K / BK * BK; ++t) "), Not(whole)) << "the tail is lost";
}

TEST(Candidates, HaveNoSingleRowWhoseNumberGoesByAnotherName) {
  for (const Inferred& each :
       candidates("embedding_forward",
                  "__global__ void k(const int* ids, const float* table, float* y, int tokens, int vocab, int dim) {\n"
                  "  if (blockIdx.x < tokens && threadIdx.x < dim)\n"
                  "    y[blockIdx.x * dim + threadIdx.x] = table[ids[blockIdx.x] * dim + threadIdx.x];\n}")) {
    const Texts& args = launch(each).args;
    const bool has_positions = std::ranges::count(args, "T") > 0 && std::ranges::count(args, "pos") == 0;
    EXPECT_FALSE(has_positions && std::ranges::count(fixes(each), "S = 1") > 0)
        << fmt::format("{}", fmt::join(args, ", "));
  }
}

TEST(Candidates, HalveBlocksOfPowersOfTwoOnly) {
  const auto blocks = [](const std::string& half) {
    std::set<std::vector<int>> all;
    for (const Inferred& each :
         candidates("softmax_forward",
                    "__global__ void k(const float* x, float* y, int n) {\n  __shared__ float s[1024];\n"
                    "  for (int i = threadIdx.x; i < n; i += blockDim.x) s[threadIdx.x] += x[i];\n"
                    "  for (int o = " +
                        half +
                        "; o > 0; o /= 2) s[threadIdx.x] += s[threadIdx.x + o];\n"
                        "  y[blockIdx.x * n + threadIdx.x] = s[0];\n}"))
      all.insert(each.adapter.blocks);
    return all;
  };
  EXPECT_THAT(blocks("blockDim.x / 2"), Contains(Not(testing::AnyOf(IsEmpty(), Contains(96)))));
  EXPECT_THAT(blocks("blockDim.x >> 1"), Contains(Not(testing::AnyOf(IsEmpty(), Contains(96)))));
  EXPECT_THAT(blocks("16"), Not(Contains(Not(testing::AnyOf(IsEmpty(), testing::SizeIs(1))))));
}

TEST(Candidates, HaveNoMoreThreadsThanAnArrayThatEachIndexes) {
  const auto largest = [](const std::string& array) {
    int most = 0;
    for (const Inferred& each : candidates(
             "softmax_forward",
             "constexpr int kMost = 128;\n__global__ void k(const float* x, float* y, int rows, int cols) {\n" + array +
                 "  s[threadIdx.x] = x[blockIdx.x * cols + threadIdx.x]; __syncthreads();\n"
                 "  for (int i = threadIdx.x; i < cols; i += blockDim.x) y[blockIdx.x * cols + i] = s[0];\n}"))
      for (const int block : each.adapter.blocks) most = std::max(most, block);
    return most;
  };
  EXPECT_EQ(largest("__shared__ float s[kMost];"), 128);
  EXPECT_EQ(largest("__shared__ float s[1024];"), 0) << "any block";
  EXPECT_EQ(largest("__shared__ float s[2048], sums[32]; if (threadIdx.x < 32) sums[threadIdx.x] = 0;"), 0) << "warps";
  EXPECT_EQ(largest("__shared__ float s[2048], t[64]; float z = threadIdx.x < 64 ? t[threadIdx.x] : 0;"), 0) << "read";
}

// The host forgets the rest of a division, and the kernel looks after it: what is left unwritten is a bug.
TEST(Candidates, AFlooredGridIsNoWordForWholeBlocksOfASizeThatIsCompared) {
  const auto requirements = [](const std::string& guard) {
    std::set<std::string> all;
    for (const Inferred& each : candidates("gelu_forward",
                                           "__global__ void k(const float* x, float* y, int n) {\n"
                                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
                                               guard +
                                               "y[i] = x[i];\n}\nvoid f(const float* x, float* y, int n) {\n"
                                               "  k<<<n / 256, 256>>>(x, y, n);\n}"))
      if (!launch(each).is_launcher) all.insert(each.adapter.requirements.begin(), each.adapter.requirements.end());
    return all;
  };
  EXPECT_THAT(requirements("if (i < n) "), IsEmpty());
  EXPECT_THAT(requirements(""), Contains("N % 256 == 0"));
}

TEST(Candidates, AWidthThatNobodyKnowsIsAVectors) {
  const auto all = candidates("rms_norm_forward", R"(
template <class T> struct Vec;
template <> struct Vec<float> { using Type = float4; static const int size; };
template <class T> __global__ void norm(T* y, const T* rows, const T* gamma, float eps, int hidden) {
  const int width = Vec<T>::size;
  for (int i = threadIdx.x; i < hidden / width; i += blockDim.x)
    y[blockIdx.x * hidden + i] = rows[blockIdx.x * hidden + i] * gamma[i];
}
void run(float* y, const float* x, const float* gamma, float eps, int rows, int hidden) {
  norm<float><<<rows, 128>>>(y, x, gamma, eps, hidden);
})");
  EXPECT_THAT(first(all, [](const Inferred& each) { return !each.adapter.requirements.empty(); }).adapter.requirements,
              Contains("aE % 8 == 0"));
}

}  // namespace
}  // namespace assay
