// Every kind of mutant is found where it should be, and nothing where it should not.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/mutate/subject.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class FindMutants : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_reader()) GTEST_SKIP() << "no assay_read: scripts/setup installs what it is built with";
  }

  // "text -> replacement" of all mutants of some kinds; `roots`: what an adapter names.
  std::vector<std::string> found(const std::string& text, const std::vector<std::string>& kinds,
                                 const std::vector<std::string>& roots = {"k"}) const {
    Subject subject{"op/k", "k.cu", text, {}, ""};
    subject.prepared.adapter.source = scratch_.path + "/k.cu";
    for (const std::string& root : roots) subject.prepared.adapter.launches.emplace_back().entry = root;
    const auto mutants = find_mutants(subject, kinds);
    EXPECT_TRUE(mutants) << mutants.error().line();
    std::vector<std::string> all;
    for (const KernelMutant& each : mutants.value_or(std::vector<KernelMutant>()))
      all.push_back(text.substr(static_cast<size_t>(each.offset), static_cast<size_t>(each.length)) + " -> " +
                    each.replacement);
    return all;
  }

  selftest::Scratch scratch_;
};

// Through local variables, templates and constants; conditions without numbers or names decide nothing by themselves.
TEST_F(FindMutants, IsBesideTheConditionsOfTheSameCode) {
  Subject subject{
      "op/k",
      "k.cu",
      "constexpr int kTile = 16;\ntemplate <int N> __device__ bool far(int i) { return i > N * kTile && i < 9; }\n"
      "__global__ void k(float* p, int n) {\n  const int i = threadIdx.x, tiles = n / kTile;\n"
      "  if (tiles > 3) {\n    p[i] = 1;\n  }\n  for (int j = i; j < 2; ++j)\n    if (far<4>(j)) p[j] = 0;\n}\n"
      "void unrelated(int n) { if (n > 77) n = 0; }\n",
      {},
      ""};
  subject.prepared.adapter.source = scratch_.path + "/k.cu";
  subject.prepared.adapter.launches.emplace_back().entry = "k";
  const auto conditions = find_conditions(subject);
  ASSERT_TRUE(conditions) << conditions.error().line();
  std::vector<std::string> all;
  for (const Condition& each : *conditions) {
    EXPECT_EQ(each.file, scratch_.path + "/k.cu");
    all.push_back(
        fmt::format("{}-{}: {} | {}", each.line, each.last, fmt::join(each.names, " "), fmt::join(each.numbers, " ")));
  }
  EXPECT_THAT(all, ElementsAre("2-2: i | 9 64", "5-7: n | 3 16", "8-9: threadIdx | 2", "9-9: threadIdx | "));
}

TEST_F(FindMutants, LeavesOutBarriers) {
  EXPECT_THAT(found("__global__ void k(float* p) {\n  __syncthreads();\n  if (p[0] > 0) __syncwarp();\n}", {"barrier"}),
              ElementsAre("__syncthreads() -> (void)0", "__syncwarp() -> (void)0"));
}

TEST_F(FindMutants, MovesBoundsOfLoopsAndOtherEdges) {
  const std::string text =
      "__global__ void k(float* p, int n) {\n  for (int i = 0; i < n && p[i] > 0; ++i) p[i] = 1;\n  if (n >= 4) p[0] = "
      "0;\n}";
  EXPECT_THAT(found(text, {"bound"}), ElementsAre("< -> <=", "n -> (n) - 1", "> -> >="));
  EXPECT_THAT(found(text, {"edge"}), ElementsAre(">= -> >"));
}

TEST_F(FindMutants, ChangesIndices) {
  EXPECT_THAT(found("__global__ void k(float* p, int r, int c, int n) { p[r * n + c] = p[n - 1]; }", {"index"}),
              ElementsAre("r * n + c -> (c) * n + r", "+ -> -", "- -> +"));
}

TEST_F(FindMutants, DropsTermsOfSums) {
  EXPECT_THAT(
      found("__global__ void k(float* p, int i) { float s = p[0] + p[1];\n s += p[2]; p[i + 1] = s; }", {"term"}),
      ElementsAre("p[0] + p[1] -> p[0]", "p[0] + p[1] -> p[1]", "+= -> ="));
}

TEST_F(FindMutants, ChangesConstantsAndTypesAndInitialValues) {
  const std::string text =
      "__global__ void k(float* p) {\n  double s = 0.0;\n  const int64_t n = 31u;\n  for (int i = 0; i < n; ++i) s += "
      "p[i] * 0.5f;\n  p[0] = s;\n  float t[2] = {};\n  p[1] = t[1];\n}";
  EXPECT_THAT(found(text, {"narrow"}), ElementsAre("double -> float", "int64_t -> int"));
  EXPECT_THAT(found(text, {"initial"}), ElementsAre(" = 0.0 -> ", " = {} -> "));
  const std::vector<std::string> constants = found(text, {"constant"});
  EXPECT_THAT(constants, Contains("31u -> 32u"));
  EXPECT_THAT(constants, Contains("0.5f -> (0.5f * 1.25f)"));
  EXPECT_THAT(constants, Contains("0.0 -> (0.0 + 1.0f)"));
  EXPECT_THAT(constants, Not(Contains("2 -> 3")));  // the size of an array
}

TEST_F(FindMutants, ChangesMasksLanesAndAtomics) {
  const std::string text =
      "__global__ void k(float* p) {\n  float v = p[threadIdx.x];\n  v = __shfl_down_sync(0xffffffff, v, 16);\n  "
      "atomicAdd(p + 1, v);\n}";
  EXPECT_THAT(found(text, {"mask"}), ElementsAre("0xffffffff -> (0xffffffff) >> 1"));
  EXPECT_THAT(found(text, {"lane"}), ElementsAre("threadIdx.x -> (threadIdx.x + 1)", "16 -> (16 + 1)"));
  EXPECT_THAT(
      found(text, {"atomic"}),
      ElementsAre("atomicAdd(p + 1, v) -> [&] { const auto old = *(p + 1); *(p + 1) = old + (v); return old; }()"));
}

TEST_F(FindMutants, LaunchesOneBlockLess) {
  const std::string text =
      "__global__ void k(float* p) { p[blockIdx.x] = 1; }\nvoid run(float* p, int n) {\n  k<<<n, 32>>>(p);\n  dim3 "
      "two(n, 2);\n  k<<<two, 32>>>(p);\n}";
  EXPECT_THAT(found(text, {"launch"}, {"run"}),
              ElementsAre("n -> [](dim3 grid) { if (grid.x > 1) --grid.x; return grid; }(n)",
                          "two -> [](dim3 grid) { if (grid.x > 1) --grid.x; return grid; }(two)"));
  EXPECT_THAT(found(text, {"launch"}, {"k"}), IsEmpty());  // the adapter launches it
}

TEST_F(FindMutants, StaysInCodeThatKernelsReach) {
  const std::string text =
      "__device__ float half_of(float x) { return x * 0.5f; }\n__device__ float unused(float x) { return x * 0.7f; }\n"
      "struct Sum { float s = 0; __device__ void add(float x) { s += x * 0.3f; } };\n"
      "template <class T> __device__ T twice(T x) { return x * T(2.5f); }\n"
      "__global__ void k(float* p) { Sum s; s.add(half_of(p[0])); p[0] = twice(s.s); }\n"
      "int main() { return 7; }";
  const std::vector<std::string> constants = found(text, {"constant"});
  EXPECT_THAT(constants, UnorderedElementsAre("0.5f -> (0.5f * 1.25f)", "0.3f -> (0.3f * 1.25f)", "0 -> 1", "0 -> 1",
                                              "0 -> 1", "2.5f -> (2.5f * 1.25f)"));
}

TEST_F(FindMutants, LeavesTextOfMacrosAlone) {
  EXPECT_THAT(
      found("#define HALF 0.5f\n#define ADD(a, b) ((a) + (b))\n__global__ void k(float* p, float x) {\n  p[x > 1] "
            "= ADD(x, HALF) * ADD(x, 0.25f);\n}",
            {"constant", "term"}),
      ElementsAre("1 -> 2"));
}

TEST_F(FindMutants, LeavesNumbersAloneThatNobodyWrote) {
  EXPECT_THAT(found("__global__ void k(float* p) { float own[3]; for (float& each : own) each = p[1]; p[2] = own[0]; }",
                    {"constant"}),
              ElementsAre("1 -> 2", "2 -> 3", "0 -> 1"));
}

TEST_F(FindMutants, ReadsTypesFromInstances) {
  const std::string text =
      "template <class T> __global__ void k(T* p) { p[0] = p[1] + p[2]; }\nvoid run(float* p) { k<float><<<1, 1>>>(p); "
      "}";
  EXPECT_THAT(found(text, {"term"}, {"run"}), ElementsAre("p[1] + p[2] -> p[1]", "p[1] + p[2] -> p[2]"));
}

TEST_F(FindMutants, TakesHeadersOfTheProjectsKernels) {
  std::filesystem::create_directories(scratch_.path + "/kernels");
  std::ofstream(scratch_.path + "/kernels/half.cuh")
      << "inline __device__ float half_of(float x) { return x * 0.5f; }\n"
         "inline __global__ void other(float* p) { *p = 0.1f; }\n"
         "inline void launch(float* p) { other<<<1, 1>>>(p); }\n";
  std::ofstream(scratch_.path + "/twice.cuh") << "inline __device__ float twice(float x) { return x * 2.5f; }\n";
  Subject subject{"op/k",
                  "k.cu",
                  "#include \"kernels/half.cuh\"\n#include \"twice.cuh\"\n__global__ void k(float* p) { *p = "
                  "half_of(twice(*p)); }\nbool is_small(int n) { return n < 4; }\n",
                  {},
                  scratch_.path};
  subject.prepared.adapter.source = scratch_.path + "/k.cu";
  subject.prepared.registers_itself = true;
  const auto mutants = find_mutants(subject, {"constant"});
  ASSERT_TRUE(mutants) << mutants.error().line();
  ASSERT_EQ(mutants->size(), 1u);
  EXPECT_EQ(title(mutants->front()), "kernels/half.cuh:1 in half_of: constant");
  EXPECT_THAT(mutated(*text_of_file(subject, mutants->front()), mutants->front()), HasSubstr("x * (0.5f * 1.25f)"));
}

TEST_F(FindMutants, RefusesKindsThatThereAreNot) {
  Subject subject{"op/k", "k.cu", "__global__ void k() {}", {}, ""};
  subject.prepared.adapter.source = scratch_.path + "/k.cu";
  const auto mutants = find_mutants(subject, {"bounds"});
  ASSERT_FALSE(mutants);
  EXPECT_THAT(mutants.error().line(), HasSubstr("no kind of mutant 'bounds'; did you mean 'bound'?"));
}

}  // namespace
}  // namespace assay
