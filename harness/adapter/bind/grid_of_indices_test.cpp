// Tests the grids that a kernel's indices ask for where no file launches it.
#include <gmock/gmock.h>

#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string body(const std::string& text) {
  return "#define WARP 32\nconstexpr int kWarp = 32;\n__global__ void k(const float* x, float* y, int N, int C) {" +
         text + "}";
}

TEST(Indices, OfThreadsGiveTheGrid) {
  EXPECT_THAT(grid("softmax_forward", body("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < N) { y[i] = 0; }")),
              ElementsAre("ceil_div(rows, block)"));
  EXPECT_THAT(grid("softmax_forward", body("const size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;\n"
                                           "const int total = N * C; if (i >= total) return;")),
              ElementsAre("ceil_div(rows * cols, block)"));
  EXPECT_THAT(
      grid("softmax_forward", body("for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;"
                                   " i < N * (C / 4); i += blockDim.x * gridDim.x) {}")),
      ElementsAre("max(1, ceil_div(rows * (cols / 4), block))"));
}

TEST(Indices, ThatAreComparedOneOffGiveTheGridThatIsMeant) {
  const std::string i = "int i = blockIdx.x * blockDim.x + threadIdx.x; ";
  EXPECT_THAT(grid("softmax_forward", body(i + "if (i > N) return; y[i] = 0;")), ElementsAre("ceil_div(rows, block)"));
  EXPECT_THAT(grid("softmax_forward", body(i + "int last = N * C - 1; if (i > last) return; y[i] = 0;")),
              ElementsAre("ceil_div(rows * cols, block)"));
  EXPECT_THAT(grid("softmax_forward", body(i + "if (i > 0) y[i - 1] = 1; if (i < N) y[i] = 0;")),
              ElementsAre("ceil_div(rows, block)"));
}

TEST(Indices, OfWarpsGiveTheGridAndWholeWarps) {
  for (const char* row :
       {"(blockIdx.x * blockDim.x + threadIdx.x) / 32", "(blockIdx.x * blockDim.x + threadIdx.x) / WARP",
        "(blockDim.x * blockIdx.x + threadIdx.x) >> 5", "blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize",
        "blockIdx.x * warp.meta_group_size() + warp.meta_group_rank()"}) {
    const Inferred inferred =
        infer("softmax_forward", body("struct { int meta_group_size(); int meta_group_rank(); } warp; int row = " +
                                      std::string(row) + "; if (row >= N) return; blockDim.x;"));
    EXPECT_THAT(inferred.adapter.launches[0].grid, ElementsAre("ceil_div(rows * 32, block)")) << row;
    EXPECT_THAT(inferred.adapter.blocks, AllOf(Contains(32), Contains(96), Not(Contains(33)), Not(Contains(100))));
  }
  EXPECT_THAT(grid("softmax_forward", body("int tid = blockIdx.x * blockDim.x + threadIdx.x; int row = tid / 32;\n"
                                           "if (row < N) {}")),
              ElementsAre("ceil_div(rows * 32, block)"));
}

TEST(Indices, OfKernelsThatWorkByWarpsGiveWholeWarps) {
  const std::string kGroups = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n";
  const auto blocks = [&](const std::string& head, const std::string& text) {
    return infer("softmax_forward", kGroups + head + body("int row = blockIdx.x; blockDim.x; " + text)).adapter.blocks;
  };
  EXPECT_THAT(blocks("", "x += 1;"), IsEmpty());
  for (const char* text :
       {"int warps = blockDim.x / 32;", "int warps = blockDim.x >> 5;", "v = __shfl_down_sync(m, v, 1);",
        "cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());"})
    EXPECT_THAT(blocks("", text), AllOf(Contains(96), Not(Contains(33)))) << text;
  const std::string sum = "__device__ float sum(float v) { return __shfl_xor_sync(~0u, v, 1); }\n";
  const std::string of_block = "__device__ float block_sum(float v) { return sum(v); }\n";
  EXPECT_THAT(blocks(sum, "v = sum(v);"), AllOf(Contains(96), Not(Contains(33))));
  EXPECT_THAT(blocks(sum + of_block, "v = block_sum(v);"), AllOf(Contains(96), Not(Contains(33))));
}

TEST(Indices, OfBlocksGiveARowToEach) {
  const Inferred inferred = infer("softmax_forward", body("int row = blockIdx.x;\n"
                                                          "for (int c = threadIdx.x; c < C; c += blockDim.x) {}"));
  EXPECT_THAT(inferred.adapter.launches[0].grid, ElementsAre("rows"));
  EXPECT_THAT(inferred.adapter.launches[0].block, ElementsAre("block"));
  EXPECT_THAT(inferred.unknown, IsEmpty());
  EXPECT_THAT(inferred.adapter.blocks, IsEmpty());
  EXPECT_THAT(
      grid("softmax_forward", body("x += blockIdx.x * C; for (int c = threadIdx.x; c < C; c += blockDim.x) {}")),
      ElementsAre("rows"));
}

TEST(Indices, OfLoopsThatGoOnByANumberGiveTheBlock) {
  const auto blocks = [](const std::string& text) {
    return infer("softmax_forward", "constexpr int kStep = 128;\n" + body("int row = blockIdx.x; " + text))
        .adapter.blocks;
  };
  EXPECT_THAT(blocks("for (int i = threadIdx.x; i < C; i += kStep) y[row * C + i] = 0;"), ElementsAre(128));
  EXPECT_THAT(blocks("for (int i = 4 * threadIdx.x; i < C; i += kStep) y[row * C + i] = blockDim.x;"), IsEmpty())
      << "32 may be the first warp's alone";
  EXPECT_THAT(blocks("for (int i = 4 * threadIdx.x; i < C; i += 4 * kStep) y[row * C + i] = 0;"), ElementsAre(128));
  EXPECT_THAT(blocks("for (int i = threadIdx.x; i < C; i += kStep) y[row * C + i] = 0;\n"
                     "for (int i = threadIdx.x; i < C; i += blockDim.x) y[row * C + i] = 0;"),
              IsEmpty());
}

TEST(Indices, ThatSayNothingLeaveTheLaunchOpen) {
  const auto unknown = [](const std::string& text) { return infer("softmax_forward", body(text)).unknown; };
  EXPECT_THAT(unknown("int i = blockIdx.x * (blockDim.x / kLanes) + threadIdx.x / kLanes; if (i < N) {}"),
              Contains(HasSubstr("'i' is no thread, warp or block")));
  EXPECT_THAT(grid("softmax_forward", body("int i = blockIdx.y;")), ElementsAre("?"));
  EXPECT_THAT(unknown("int i = blockIdx.y; blockDim.x;"), Contains(HasSubstr("no index along x")));
  EXPECT_THAT(unknown("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < rows) y[i] = x[i + threadIdx.y];"),
              Contains(HasSubstr("compared with nothing that is known")));
  EXPECT_THAT(unknown("int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = 0;"),
              Contains(HasSubstr("'i' is compared with nothing")));
  EXPECT_THAT(unknown("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < kLimit) {}"),
              Contains(HasSubstr("'i' is compared with 'kLimit'")));
  EXPECT_THAT(unknown("int row = blockIdx.x; y[row * 128 + threadIdx.x] = 0;"),
              Contains(HasSubstr("a number of threads built in")));
  EXPECT_THAT(
      unknown("extern __shared__ float s[]; int r = blockIdx.x; blockDim.x;"),
      ElementsAre("the number of bytes of dynamic shared memory: the kernel has `extern __shared__ float s[]`"));
}

TEST(Indices, OfTwoAxesGiveAGridOfTwo) {
  const std::string row =
      "int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n";
  const AdapterLaunch each =
      launch(infer("softmax_forward", body(row + "if (row >= N || col >= C) return; y[row * C + col] = 0;")));
  EXPECT_THAT(each.grid, ElementsAre("ceil_div(cols, 16)", "ceil_div(rows, 16)"));
  EXPECT_THAT(each.block, ElementsAre("16", "16"));
  EXPECT_THAT(grid("softmax_forward", body(row + "if (row < N) y[row * C + col] = 0;")), ElementsAre("?"))
      << "no end of columns";
  EXPECT_THAT(grid("softmax_forward", body(row + "__shared__ float s[16][16]; if (row < N && col < C) s[0][0] = 0;")),
              ElementsAre("?"))
      << "its block may be built in";
}

TEST(Indices, AreNoValuesThatAreReadByThem) {
  EXPECT_THAT(grid("softmax_forward",
                   body("int row = blockIdx.x; const float* in = x + row * C;\n"
                        "for (int i = threadIdx.x; i < C; i += blockDim.x) { float e = in[i]; y[row * C + i] = e; }")),
              ElementsAre("rows"));
}

}  // namespace
}  // namespace assay
