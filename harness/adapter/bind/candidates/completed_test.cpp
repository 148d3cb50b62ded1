// Tests what candidates add to what a file says: values in the holes of its launch, copies of another type, zeros.
#include <gmock/gmock.h>

#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Candidates, FillTheHolesOfTheFilesLaunch) {
  const auto all =
      candidates("softmax_forward",
                 "struct Tensor { int size(int) const; };\n"
                 "__global__ void k(const float* x, float* y, int cols) {\n"
                 "  int row = blockIdx.x + gridDim.x * blockIdx.y;\n"
                 "  for (int i = threadIdx.x; i < cols; i += 64) y[row * cols + i] = x[row * cols + i];\n}\n"
                 "void f(Tensor t, const float* x, float* y, int cols, int copies) {\n"
                 "  k<<<dim3(t.size(0) * copies, t.size(1)), 64>>>(x, y, cols);\n}");
  const Inferred& filled = first(all, [](const Inferred& each) { return launch(each).grid == Texts{"rows"}; });
  EXPECT_THAT(launch(filled).block, ElementsAre("64"));
  EXPECT_THAT(filled.launch_guesses, IsEmpty()) << "right values bear the grid out";
  EXPECT_THAT(filled.guesses, Contains(HasSubstr("is rows")));
  EXPECT_TRUE(std::ranges::any_of(all, [](const Inferred& each) {
    return launch(each).grid == Texts{"rows", "rows"};
  }));
}

TEST(Candidates, PassCopiesOfAnotherTypeWhereTensorsAreOfSeveral) {
  const auto norm =
      candidates("rms_norm_forward",
                 "#include <cuda_bf16.h>\n__global__ void k(const __nv_bfloat16* x, const float* weight,"
                 " __nv_bfloat16* y, int rows, int cols, float eps) {\n"
                 "  for (int i = threadIdx.x; i < cols; i += blockDim.x)\n"
                 "    y[blockIdx.x * cols + i] = __float2bfloat16(__bfloat162float(x[i]) * weight[i]);\n}");
  ASSERT_THAT(norm, Not(IsEmpty()));
  EXPECT_EQ(launch(norm[0]).args.at(1), "converted<float>(gamma)");
  EXPECT_THAT(norm[0].adapter.dtypes, ElementsAre(DType::bf16));
  const auto sum = candidates("residual_add",
                              "#include <cuda_bf16.h>\n__global__ void k(const float* a, const __nv_bfloat16* b,"
                              " __nv_bfloat16* out, int n) {\n"
                              "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < n) out[i] = __float2bfloat16(a[i]) + b[i];\n}");
  ASSERT_THAT(sum, Not(IsEmpty()));
  EXPECT_THAT(sum[0].adapter.skip_fills, ElementsAre("nan", "nan_bits")) << "a rounding has one NaN";
  const auto ids = candidates("embedding_forward",
                              "__global__ void k(const long long* ids, const float* table, float* out, int dim) {\n"
                              "  for (int i = threadIdx.x; i < dim; i += blockDim.x)\n"
                              "    out[blockIdx.x * dim + i] = table[ids[blockIdx.x] * dim + i];\n}");
  ASSERT_THAT(ids, Not(IsEmpty()));
  EXPECT_THAT(ids[0].adapter.skip_fills, IsEmpty());
  EXPECT_EQ(launch(ids[0]).args.at(0), "converted<long long>(ids)");
}

TEST(Candidates, ClearAnOutputThatIsReadBeforeItIsWritten) {
  const auto all =
      candidates("gelu_backward",
                 "__global__ void k(float* g_inp, const float* x, const float* g_out, int n) {\n"
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) g_inp[i] += x[i] * g_out[i];\n}");
  EXPECT_TRUE(std::ranges::any_of(all, [](const Inferred& each) {
    return launch(each).args == Texts{"dx", "x", "dy", "N"} && each.adapter.zero == Texts{"dx"};
  }));
}

// A product of one term shows no bug in the others.
TEST(Candidates, HoldNoSumAtOneTerm) {
  for (const Inferred& each :
       candidates("gemm",
                  "__global__ void k(const float* p, const float* q, float* r, int n1, int n2, int n3) {\n"
                  "  int i = blockIdx.x * blockDim.x + threadIdx.x; float sum = 0;\n"
                  "  for (int j = 0; j < n2; ++j) sum += p[i / n3 * n2 + j] * q[j * n3 + i % n3];\n"
                  "  if (i < n1 * n3) r[i] = sum;\n}"))
    EXPECT_THAT(each.adapter.fixed, Not(Contains(testing::FieldsAre("K", "1"))));
}

TEST(Candidates, HaveTheAxesOfTheAuthorsGridEitherWayRound) {
  const auto all =
      candidates("transpose_2d",
                 "__global__ void k(const float* a, float* b, int m, int n, int pad) {\n"
                 "  __shared__ float tile[32][33]; int x = blockIdx.x * 32 + threadIdx.x;\n"
                 "  int y = blockIdx.y * 32 + threadIdx.y; tile[threadIdx.y][threadIdx.x] = a[y * n + x + pad];\n"
                 "  __syncthreads(); b[x * m + y] = tile[threadIdx.y][threadIdx.x];\n}\n"
                 "void run(const float* a, float* b, int m, int n, int pad) {\n"
                 "  k<<<dim3(m / 32, n / 32), dim3(32, 32)>>>(a, b, m, n, pad);\n}");
  std::vector<Texts> grids, own;
  for (const Inferred& each : all)
    if (launch(each).args == Texts{"in", "out", "rows", "cols", "0"})
      (each.authors_line == 0 ? grids : own).push_back(launch(each).grid);
  EXPECT_THAT(own, Contains(ElementsAre("rows / 32", "cols / 32")));
  EXPECT_THAT(grids, Contains(ElementsAre("cols / 32", "rows / 32")));
}

TEST(Candidates, PassTheConstantsThatALauncherPassesBesideSizes) {
  const std::string kernel =
      "__global__ void k(const float* x, float* y, int rows, int cols, int Br) {\n"
      "  for (int i = threadIdx.x; i < cols; i += Br) y[blockIdx.x * cols + i] = x[blockIdx.x * cols + i];\n}\n";
  const auto fifth = [&](const std::string& host) {
    return launch(candidates("softmax_forward", kernel + host).at(0)).args.at(4);
  };
  EXPECT_EQ(
      fifth("void f(const float* x, float* y, int n, int d) { const int Br = 32; k<<<n, 32>>>(x, y, n, d, Br); }"),
      "32");
  EXPECT_NE(fifth("int main() { float *x = 0, *y = 0; int n = 9, d = 7, Br = 12; k<<<n, 32>>>(x, y, n, d, Br); }"),
            "12")
      << "a number of a test, as n and d are";
}

TEST(Candidates, OfALauncherAreNoneWhereItAsksForWhatIsNotThere) {
  const auto all = candidates("softmax_forward", R"(
#include <cassert>
struct Sizes { int operator[](int i) const; };
__global__ void k(const float* x, float* y, int length) {
  y[blockIdx.x * length + threadIdx.x] = x[blockIdx.x * length + threadIdx.x];
}
void f(const float* x, float* y, Sizes sizes) {
  )" + std::string("assert") + R"((sizes[0] > 1);
  k<<<sizes[1], 32>>>(x, y, sizes[0]);
})");
  ASSERT_THAT(all, Not(IsEmpty()));
  for (const Inferred& each : all)
    for (const std::string& requirement : each.adapter.requirements)
      EXPECT_EQ(requirement.find("Sizes"), std::string::npos) << requirement;
}

}  // namespace
}  // namespace assay
