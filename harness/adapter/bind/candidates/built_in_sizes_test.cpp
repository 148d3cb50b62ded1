// Tests which sizes are held to the numbers that a kernel's indices have in their places.
#include <gmock/gmock.h>

#include <algorithm>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/candidates/row_lengths.h"
#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

std::map<std::string, int64_t> lengths(const std::string& body, const std::string& head = "") {
  const CudaSource source = read(head + "__global__ void k(const float* x, float* y, int n) {\n" + body + "\n}");
  return built_in_row_lengths(source, source.kernels.at(0));
}

TEST(BuiltInSizes, AreThoseThatIndicesStepByFromRowToRow) {
  const std::string config = "namespace config { static const int kWidth = 4096; }\n";
  EXPECT_THAT(
      lengths("const float* row = x + (blockIdx.x * config::kWidth); y[blockIdx.x * 4096 + 1] = row[2];", config),
      UnorderedElementsAre(Pair("x", 4096), Pair("y", 4096)));
  EXPECT_THAT(lengths("constexpr int D = 64; int at = blockIdx.x * D + threadIdx.x; y[at] = x[at];"),
              UnorderedElementsAre(Pair("x", 64), Pair("y", 64)));
  EXPECT_THAT(lengths("int t = blockIdx.x * blockDim.x + threadIdx.x; y[t * 32 + n] = x[n];"),
              UnorderedElementsAre(Pair("y", 32)))
      << "a row for each thread";
  EXPECT_THAT(lengths("y[blockIdx.x * n + 1] = x[blockIdx.x * 64 + 1] + x[blockIdx.x * 32 + 1];"), IsEmpty())
      << "two lengths are none";
  EXPECT_THAT(lengths("y[blockIdx.x * 8 + 1] = 0;"), IsEmpty()) << "a vector, perhaps";
  const std::string tile = "int row = 16 * blockIdx.y + threadIdx.y, col = 16 * blockIdx.x + threadIdx.x; ";
  EXPECT_THAT(lengths(tile + "y[row * n + col] = 0;"), IsEmpty()) << "a row of n, by tiles";
  EXPECT_THAT(lengths(tile + "y[row * 1024 + col] = 0;"), UnorderedElementsAre(Pair("y", 1024)));
}

TEST(BuiltInSizes, HoldTheRowsOfWhatPointersAre) {
  const auto all = candidates("swiglu_forward",
                              "constexpr int F = 512;\n"
                              "__global__ void k(int seq_len, const float* gate, const float* up, float* out) {\n"
                              "  for (int i = threadIdx.x; i < F; i += blockDim.x)\n"
                              "    out[blockIdx.x * F + i] = gate[blockIdx.x * F + i] * up[blockIdx.x * F + i];\n}\n"
                              "void f(int n, float* a, float* b, float* c) { k<<<n, 128>>>(n, a, b, c); }");
  const Inferred apart = first(all, [](const Inferred& each) {
    return !launch(each).is_launcher && launch(each).args[1] == "columns(in, 0, dim)";
  });
  EXPECT_THAT(fixes(apart), ElementsAre("dim = 512"));
  EXPECT_THAT(apart.remarks, Contains(HasSubstr("dim is 512, by the indices of k.")));
  EXPECT_THAT(apart.guesses, Not(Contains(HasSubstr("dim is"))));
}

TEST(BuiltInSizes, AreInAGridForTheOnlySizeThatIsLeft) {
  const auto heads = [](const std::string& grid) {
    Texts held;
    for (const Inferred& each :
         candidates("causal_softmax",
                    "__global__ void k(int T, const float* scores, float* probs) {\n"
                    "  probs[blockIdx.x * T + threadIdx.x] = scores[blockIdx.x * T + threadIdx.x];\n}\n"
                    "void f(int T, float* a, float* b) { k<<<" +
                        grid + ", 128>>>(T, a, b); }"))
      if (!launch(each).is_launcher)
        for (const Fixed& fixed : each.adapter.fixed)
          if (fixed.name == "H" && std::ranges::count(each.guesses, "H is " + fixed.value) > 0)
            held.push_back(fixed.value);
    return held;
  };
  EXPECT_THAT(heads("32 * T"), Contains("32"));
  EXPECT_THAT(heads("T"), Not(Contains("32")));
  EXPECT_THAT(heads("(T + 31) / 32"), Not(Contains("32"))) << "rows of a block";
}

TEST(BuiltInSizes, AreThoseOfCopiesToo) {
  const auto all = candidates("transpose_2d", R"(
const int N = 64;
__global__ void transpose(int* input, int* output) {
  __shared__ int tile[16][16 + 1];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < N && y < N) output[x * N + y] = input[y * N + x];
}
int main() { int *in = 0, *out = 0; transpose<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(in, out); })");
  EXPECT_THAT(launch(all.at(0)).args, ElementsAre("converted<int>(in)", "converted<int>(out)"));
  EXPECT_THAT(fixes(all[0]), IsSupersetOf({"rows = 64", "cols = 64"}));
  EXPECT_THAT(all[0].adapter.requirements, Not(Contains("rows % 17 == 0")));
}

}  // namespace
}  // namespace assay
