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
      "  C[row * N + col] = sum;\n}");
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

std::set<Texts> grids_of(const std::vector<Inferred>& all) {
  std::set<Texts> grids;
  for (const Inferred& each : all) grids.insert(each.adapter.launches.at(0).grid);
  return grids;
}

TEST(Candidates, TheLastIndexIsOneLessThanTheirNumber) {
  EXPECT_THAT(grids_of(candidates("residual_add",
                                  "__global__ void k(const float* a, const float* b, float* out, int n) {\n"
                                  "  int i = blockIdx.x * blockDim.x + threadIdx.x, last = n - 1;\n"
                                  "  if (i > last) return;\n  out[i] = a[i] + b[i];\n}")),
              Contains(ElementsAre("ceil_div(T * aE, block)")));
}

TEST(Candidates, BlocksThatBeginAtARowAreAsManyAsRows) {
  const std::set<Texts> grids =
      grids_of(candidates("embedding_forward",
                          "template <class T> __global__ void k(T* y, int* ids, T* w, int dim) {\n"
                          "  ids += blockIdx.x; y += blockIdx.x * dim; w += *ids * dim;\n"
                          "  for (int i = threadIdx.x; i < dim; i += 128) y[i] = w[i];\n}"));
  EXPECT_THAT(grids, Contains(ElementsAre("S")));
  EXPECT_THAT(grids, Not(Contains(ElementsAre("ceil_div(S, dim)"))));
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
}

TEST(Candidates, HaveRowsOfALengthThatIsBuiltIn) {
  const auto lengths = [](const std::string& body) {
    std::set<Texts> all;
    for (const Inferred& each :
         candidates("softmax_forward", "__global__ void k(const float* x, float* y, int rows) {\n" + body +
                                           "}\nvoid f(const float* x, float* y, int rows) {\n"
                                           "  k<<<rows, dim3(32, 8)>>>(x, y, rows);\n}"))
      all.insert(fixes(each));
    return all;
  };
  EXPECT_THAT(lengths("  y[blockIdx.x * 96 + threadIdx.x] = x[blockIdx.x * 96 + threadIdx.x];\n"),
              IsSupersetOf({Texts{"cols = 96"}, Texts{"cols = 256"}, Texts{"cols = 1024"}}))
      << "and as many as a block's threads take";
  EXPECT_THAT(lengths("  y[blockIdx.x] = x[blockIdx.x];\n"), Not(Contains(Texts{"cols = 256"})));
}

TEST(Candidates, MayHaveAThreadForEachElementOfARow) {
  const auto requirements = [](const std::string& body) {
    std::set<Texts> all;
    for (const Inferred& each :
         candidates("softmax_forward",
                    "__global__ void k(const float* x, float* y, int n) {\n  const int t = threadIdx.x;\n" + body +
                        "}\nvoid f(const float* x, float* y, int n, int threads) {\n"
                        "  k<<<1, threads>>>(x, y, n);\n}"))
      all.insert(each.adapter.requirements);
    return all;
  };
  EXPECT_THAT(requirements("  float m = t < n ? x[t] : 0; if (t < n) y[t] = m;\n"), Contains(Texts{"cols <= block"}));
  EXPECT_THAT(requirements("  for (int i = t; i < n; i += blockDim.x) if (t < n) y[i] = x[i];\n"),
              Not(Contains(Texts{"cols <= block"})))
      << "a loop takes the others";
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

TEST(Candidates, ShareABlocksElementsOutAmongItsThreads) {
  const auto all = candidates(
      "gemm",
      "__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {\n"
      "  const int BM = 64, TM = 8, TN = 4; __shared__ float s[64][16];\n"
      "  int ty = threadIdx.y, bx = blockIdx.x;\n"
      "  int row = blockIdx.y * BM + ty * TM, col = bx * (TN * 32) + threadIdx.x * TN; s[ty][0] = A[row] * B[col];\n"
      "  __syncthreads(); if (row < M && col < N) C[row * N + col] = s[0][0] + K;\n}");
  ASSERT_THAT(all, Not(IsEmpty()));
  EXPECT_THAT(launch(all[0]).block, ElementsAre("32", "8"));
  EXPECT_THAT(all[0].launch_guesses, IsEmpty());
}

TEST(Candidates, DivideAGridByWhatAThreadTakes) {
  const auto all = candidates("transpose_2d",
                              "#define SIZE 16\n__global__ void k(float* x, float* y, int row, int col) {\n"
                              "  int gx = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  int gy = blockIdx.y * blockDim.y + threadIdx.y;\n"
                              "  __shared__ float tile[SIZE][SIZE * 4];\n"
                              "  if (gx * 4 + 3 < col + 3 && gy < row) { float4 v = ((float4*)x)[gy * col / 4 + gx];\n"
                              "    __syncthreads(); ((float4*)y)[gx * row + gy] = v; }\n}");
  ASSERT_THAT(all, Not(IsEmpty()));
  EXPECT_THAT(launch(all[0]).args, ElementsAre("in", "out", "rows", "cols"));
  EXPECT_THAT(launch(all[0]).grid, ElementsAre("ceil_div(cols, 16 * 4)", "ceil_div(rows, 16)"));
  EXPECT_THAT(all[0].adapter.requirements, IsEmpty());
  const Inferred whole = first(all, [](const Inferred& each) { return !each.adapter.requirements.empty(); });
  EXPECT_THAT(whole.adapter.requirements, ElementsAre("rows % 16 == 0", "cols % 64 == 0")) << "a tile has 16 by 64";
}

}  // namespace
}  // namespace assay
