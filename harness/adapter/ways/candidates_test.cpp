// Ways to call a kernel where its file leaves them open: which are tried, and in which order.
#include <gmock/gmock.h>

#include "harness/adapter/infer_from_text.h"
#include "harness/adapter/pointer_use.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<Inferred> candidates(const std::string& op, const std::string& text) {
  const CudaSource source = read(text);
  return candidate_adapters(source, source.kernels.at(0), *find_op(op), "k.cu");
}

const AdapterLaunch& launch(const Inferred& inferred) { return inferred.adapter.launches.at(0); }

TEST(Candidates, OfAClearKernelAreOneWithoutAGuess) {
  const auto all = candidates("softmax_forward",
                              "__global__ void k(const float* x, float* y, int rows, int cols) { int r = blockIdx.x;"
                              " for (int c = threadIdx.x; c < cols; c += blockDim.x) y[r * cols + c] = x[c]; }");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].guesses, IsEmpty());
  EXPECT_THAT(all[0].launch_guesses, IsEmpty());
}

TEST(Candidates, BindNamesThatSayNothingBothWays) {
  const auto all = candidates("transpose_2d",
                              "__global__ void k(float* a, float* b, int nx, int ny) {\n"
                              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  int j = blockIdx.y * blockDim.y + threadIdx.y;\n"
                              "  if (i < nx && j < ny) b[j * nx + i] = a[i * ny + j];\n}");
  ASSERT_GE(all.size(), 2u);
  std::vector<Texts> args;
  for (const Inferred& each : all) {
    EXPECT_THAT(each.unknown, IsEmpty());
    EXPECT_EQ(launch(each).args.at(0), "in") << "the body writes b";
    args.push_back(launch(each).args);
  }
  EXPECT_THAT(args, Contains(ElementsAre("in", "out", "rows", "cols")));
  EXPECT_THAT(args, Contains(ElementsAre("in", "out", "cols", "rows")));
  EXPECT_THAT(launch(all[0]).grid, ElementsAre("ceil_div(rows, 16)", "ceil_div(cols, 16)"));
  EXPECT_THAT(all[0].guesses, Not(IsEmpty()));
  EXPECT_THAT(all[0].launch_guesses, IsEmpty()) << "the indices say it all";
}

TEST(Candidates, TakeBlocksFromTiles) {
  const auto all = candidates("transpose_2d",
                              "#define TILE 32\n#define ROWS 8\n"
                              "__global__ void k(float* out, const float* in, int width, int height) {\n"
                              "  __shared__ float tile[TILE][TILE + 1];\n"
                              "  int x = blockIdx.x * TILE + threadIdx.x;\n  int y = blockIdx.y * TILE + threadIdx.y;\n"
                              "  for (int j = 0; j < TILE; j += ROWS) out[(y + j) * width + x] = in[x];\n}");
  ASSERT_THAT(all, Not(IsEmpty()));
  EXPECT_THAT(launch(all[0]).block, ElementsAre("32", "8"));
  EXPECT_THAT(all[0].adapter.requirements, Contains("cols % 32 == 0"));
  EXPECT_THAT(all[0].launch_guesses, Contains("the block is 32 by 8"));
}

TEST(Candidates, GuessEnoughSharedMemory) {
  const auto all = candidates("softmax_forward",
                              "__global__ void k(const float* x, float* y, int rows, int cols) {\n"
                              "  extern __shared__ float s[]; int r = blockIdx.x; s[threadIdx.x] = blockDim.x;\n}");
  ASSERT_THAT(all, Not(IsEmpty()));
  EXPECT_EQ(launch(all[0]).shared, "49152");
  EXPECT_THAT(all[0].launch_guesses, Contains(HasSubstr("bytes of dynamic shared memory")));
}

TEST(Candidates, AreFewAndComplete) {
  const auto all =
      candidates("softmax_forward", "__global__ void k(float* a, float* b, int n, int m) { b[0] = a[0]; }");
  EXPECT_LE(all.size(), 24u);
  EXPECT_GE(all.size(), 2u);
  for (const Inferred& each : all) EXPECT_THAT(launch(each).args, Not(Contains("?")));
}

TEST(Atomics, MakeSumsThatBeginAtZeroInAnyOrder) {
  const Inferred inferred = infer("softmax_forward",
                                  "__global__ void k(const float* x, float* y, int rows, int cols) {\n"
                                  "  float* row = y + blockIdx.x * cols; atomicAdd(&row[threadIdx.x], x[0]);\n}");
  EXPECT_FALSE(inferred.adapter.deterministic);
  EXPECT_THAT(inferred.adapter.zero, ElementsAre("y"));
}

TEST(Bits, OfAFloatAreWhatTheFileNames) {
  const auto dtypes = [](const std::string& head) {
    return infer("softmax_forward", head + "__global__ void k(const unsigned short* x, unsigned short* y) {}")
        .adapter.dtypes;
  };
  EXPECT_THAT(dtypes("__device__ float bf16_to_float(unsigned short v) { return v; }\n"), ElementsAre(DType::bf16));
  EXPECT_THAT(dtypes("__device__ float f(unsigned short v) { return __half2float(v); }\n"), ElementsAre(DType::f16));
  EXPECT_THAT(dtypes(""), ElementsAre(DType::bf16, DType::f16));
}

TEST(MissingInput, IsAGuess) {
  EXPECT_THAT(infer("softmax_backward", "__global__ void k(const float* y, float* dx, int rows, int cols) {}").guesses,
              Contains("k computes softmax_backward without g"));
}

TEST(PointerUse, IsReadFromTheBody) {
  const CudaSource source = read(
      "__global__ void k(float* a, float* b, float* c, float* d, float* e) {\n"
      "  const float* row = a + 4; float4* wide = reinterpret_cast<float4*>(b);\n"
      "  wide[0] = f(row[1]); *c = 1; FLOAT4(d[2]) = v; if (a[0] == 1) g(e);\n}");
  const auto uses = pointer_uses(source.kernels.at(0));
  EXPECT_EQ(shown_role(uses, "a"), Shown::input);
  for (const char* name : {"b", "c", "d"}) EXPECT_EQ(shown_role(uses, name), Shown::output) << name;
  EXPECT_EQ(shown_role(uses, "e"), Shown::nothing);
}

}  // namespace
}  // namespace assay
