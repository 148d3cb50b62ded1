// Tests what whole numbers count: rows in two factors, vectors, or nothing that anybody knows.
#include <gmock/gmock.h>

#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Candidates, SplitADimIntoTwoCounts) {
  const auto all =
      candidates("rms_norm_forward",
                 "__global__ void k(const float* x, float* y, const float* gamma, int batch_size,\n"
                 "                  int seq_len, int hidden, float eps) {\n"
                 "  int t = blockIdx.x; for (int d = threadIdx.x; d < hidden; d += blockDim.x) y[t] = x[d];\n}");
  ASSERT_THAT(all, testing::Not(IsEmpty()));
  EXPECT_THAT(launch(all[0]).args, testing::AnyOf(ElementsAre("x", "y", "gamma", "T", "1", "aE", "eps"),
                                                  ElementsAre("x", "y", "gamma", "1", "T", "aE", "eps")));
}

// Larger cases may want more elements of a thread than those that are tried.
TEST(Candidates, AreInDoubtOfANumberThatNobodyKnows) {
  const auto all =
      candidates("rms_norm_forward",
                 "__global__ void k(const float* x, float* y, const float* gamma, int batch, int hidden, float eps,\n"
                 "                  int each) {\n"
                 "  int t = blockIdx.x; for (int d = threadIdx.x; d < hidden; d += blockDim.x) y[t] = x[d * each];\n}");
  const Inferred one = first(all, [](const Inferred& each) { return launch(each).args.back() == "1"; });
  EXPECT_THAT(one.launch_guesses, Contains("each is 1"));
  EXPECT_THAT(one.guesses, testing::Not(Contains("each is 1")));
  EXPECT_THAT(one.ones, IsEmpty());
  const auto counted = candidates(
      "softmax_forward",
      "__global__ void k(const float* x, float* y, int B, int T, int C) { y[blockIdx.x * C] = x[blockIdx.x * C]; }\n"
      "void f(const float* x, float* y, int b, int t, int c) { k<<<b * t, 32>>>(x, y, b, t, c); }");
  const Inferred rows = first(counted, [](const Inferred& each) {
    return !launch(each).is_launcher && launch(each).args == Texts{"x", "y", "rows", "1", "cols"};
  });
  EXPECT_THAT(rows.ones, Contains(3)) << "the file's grid is made of it";
  const auto multiplied = candidates("gelu_forward",
                                     "__global__ void k(const float* x, float* y, int n, int m) {\n"
                                     "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n * m) y[i] = x[i];\n}");
  const Inferred elements = first(multiplied, [](const Inferred& each) {
    return launch(each).args == Texts{"x", "y", "N", "1"};
  });
  EXPECT_THAT(elements.ones, Contains(3)) << "the kernel multiplies them";
}

TEST(Candidates, CountVectorsWherePointersAreToSome) {
  const auto count = [](const std::string& type) {
    const auto all =
        candidates("residual_add", "__global__ void k(const " + type + "* a, const " + type + "* b, " + type +
                                       "* c, int N) {\n"
                                       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                       "  if (i < N) c[i] = a[i];\n}\n");
    return all.empty() ? Inferred{} : all[0];
  };
  EXPECT_EQ(launch(count("float")).args.back(), "T * aE");
  const Inferred vectors = count("float4");
  EXPECT_EQ(launch(vectors).args.back(), "(T * aE) / 4");
  EXPECT_THAT(vectors.adapter.requirements, Contains("(T * aE) % 4 == 0"));
  EXPECT_GE(vectors.stated_requirements, 1u) << "by the types";
  EXPECT_EQ(launch(count("half2")).args.back(), "(T * aE) / 2");
}

TEST(Counts, OfAllElementsAreNotEnoughWhereTheOpHasRows) {
  const auto takes_all = [](const std::string& op, const std::string& more) {
    return std::ranges::any_of(
        candidates(op,
                   "__global__ void k(const float* a, const float* b, float* out, int n" + more +
                       ") {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = a[i] + b[i];\n}"),
        [](const Inferred& each) { return launch(each).args.at(3).find(" * ") != std::string::npos; });
  };
  EXPECT_TRUE(takes_all("residual_add", ""));
  EXPECT_FALSE(takes_all("softmax_backward", "")) << "nobody tells it how long they are";
  EXPECT_TRUE(takes_all("softmax_backward", ", int cols"));
}

}  // namespace
}  // namespace assay
