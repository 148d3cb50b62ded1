// A parameter takes what its name, its use and its type say.
#include <gmock/gmock.h>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/candidates/options.h"
#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

// The expressions that the parameter of that name may take, the likeliest first.
Texts expressions(const std::string& op, const std::string& parameters, const std::string& name) {
  const CudaSource source = read("__global__ void k(" + parameters + ") {}");
  const KernelSource& kernel = source.kernels.at(0);
  const size_t place =
      static_cast<size_t>(std::ranges::find(kernel.parameters, name, &Parameter::name) - kernel.parameters.begin());
  Texts all;
  const auto options = options_of(kernel, *find_op(op), Trust::both);
  for (const Option& each : options.at(place)) all.push_back(each.binding.expression);
  return all;
}

TEST(OptionsOfNames, OfAModelsWidthAreAllHeads) {
  EXPECT_THAT(expressions("attention_forward",
                          "const float* q, const float* k, const float* v, float* o, int N, int d_model", "d_model"),
              Contains("H * D"));
}

TEST(OptionsOfNames, OfAModelsWidthAgreeWithKeysOfAsManyHeads) {
  const auto all = candidates("attention_forward", R"(
__global__ void attention(const float* Q, const float* K, const float* V, float* O, int N, int d_model, int h) {
  const int row = blockIdx.x, head = blockIdx.y, dk = d_model / h;
  for (int i = threadIdx.x; i < dk; i += blockDim.x)
    O[row * d_model + head * dk + i] =
        Q[row * d_model + head * dk + i] * K[row * d_model + head * dk + i] * V[row * d_model + head * dk + i];
}
void run(const float* Q, const float* K, const float* V, float* O, int N, int d_model, int h) {
  attention<<<dim3(N, h), 64>>>(Q, K, V, O, N, d_model, h);
})");
  EXPECT_THAT(launch(all.at(0)).args, ElementsAre("q", "k", "v", "o", "Sq", "H * D", "H"));
  EXPECT_TRUE(all[0].agrees_with_indices);
}

TEST(OptionsOfNames, OfAStrideAreTheInnerOneAndADistance) {
  const auto all = expressions("softmax_forward", "const float* x, float* y, int rows, int cols, int stride", "stride");
  const auto place = [&](const char* text) { return std::ranges::find(all, text) - all.begin(); };
  EXPECT_THAT(all, IsSupersetOf({"1", "cols"}));
  EXPECT_LT(place("1"), place("rows"));
}

TEST(OptionsOfNames, OfTheNumberThatAnInputIsMadeOfStandForIt) {
  const Inferred one = candidates("rope", R"(
__global__ void rope(float* out, const float* x, int seq_len, int num_heads, int head_dim, float theta, int pos_offset) {
  const int t = blockIdx.x;
  for (int i = threadIdx.x; i < num_heads * head_dim / 2; i += blockDim.x)
    out[t * num_heads * head_dim + i] = x[t * num_heads * head_dim + i] * powf(theta, i) + pos_offset;
})")
                           .at(0);
  EXPECT_THAT(launch(one).args, Contains(HasSubstr("std::stod(base)")));
  EXPECT_THAT(one.adapter.rounds, ElementsAre("inv_freq"));
  ASSERT_THAT(one.adapter.ranges, SizeIs(1));
  EXPECT_THAT(one.adapter.ranges[0].values, Not(Contains("fill"))) << "theta is a number";
  EXPECT_THAT(one.guesses, Not(Contains(HasSubstr("without inv_freq"))));
}

TEST(OptionsOfNames, OfATemperatureIsTheInverseOfAScale) {
  EXPECT_THAT(
      expressions("softmax_forward", "const float* x, float* y, int rows, int cols, float temperature", "temperature"),
      ElementsAre("1 / scale"));
}

TEST(OptionsOfNames, OfAPointerThatIsReadWithoutATestHaveIt) {
  const auto fixed = [](const std::string& bias) {
    return fixes(candidates("gemm", R"(
__global__ void gemm(const float* a, const float* b, const float* bias, float* c, int M, int N, int K) {
  const int m = blockIdx.y * blockDim.y + threadIdx.y, n = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= M || n >= N) return;
  float sum = )" + bias + R"(;
  for (int k = 0; k < K; ++k) sum += a[m * K + k] * b[n * K + k];
  c[m * N + n] = sum;
})")
                     .at(0));
  };
  EXPECT_THAT(fixed("bias[n]"), Contains("bias = 1"));
  EXPECT_THAT(fixed("bias ? bias[n] : 0"), Not(Contains("bias = 1")));
}

TEST(OptionsOfNames, OfPointersToIntsAreCopiesOfSmallIntegers) {
  const Inferred one = candidates("gemm", R"(
__global__ void gemm(const int* a, const int* b, int* c, int M, int N, int K) {
  const int m = blockIdx.y * blockDim.y + threadIdx.y, n = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= M || n >= N) return;
  int sum = 0;
  for (int k = 0; k < K; ++k) sum += a[m * K + k] * b[n * K + k];
  c[m * N + n] = sum;
})")
                           .at(0);
  EXPECT_THAT(launch(one).args, IsSupersetOf({"converted<int>(a)", "converted<int>(b)", "converted<int>(c)"}));
  EXPECT_THAT(one.adapter.skip_fills, Contains("normal"));
  EXPECT_THAT(one.adapter.skip_fills, Not(Contains("integers")));
  EXPECT_THAT(one.adapter.dtypes, ElementsAre(DType::f32));
}

}  // namespace
}  // namespace assay
