// Functions of CUDA files that are no kernels: where they are, what they take, and which launches stand in them.
#include "harness/adapter/function_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CudaSource source_of(const std::string& text) {
  const auto source = read_cuda(text);
  EXPECT_TRUE(source.has_value()) << source.error().line();
  return source.value_or(CudaSource{});
}

std::vector<std::string> names(const CudaSource& source) {
  std::vector<std::string> all;
  for (const FunctionSource& function : source.functions) all.push_back(function.qualified_name);
  return all;
}

TEST(FunctionSource, ReadsLaunchersWithTheirLaunches) {
  const CudaSource source = source_of(
      "__global__ void k(float* x, int n) {}\n"
      "void first(float* x, int N, const int block_size) {\n"
      "  if (N > 0) { k<<<N, block_size>>>(x, N); }\n"
      "}\n"
      "template <typename T, int B = 4>\nstatic inline cudaError_t second(std::vector<T>& x, torch::Tensor y) {\n"
      "  k<<<1, B>>>(x, 1);\n  return cudaSuccess;\n}\n");
  ASSERT_THAT(names(source), ElementsAre("first", "second"));
  const FunctionSource &first = source.functions[0], &second = source.functions[1];
  EXPECT_EQ(first.result, "void");
  EXPECT_EQ(first.line, 2);
  ASSERT_EQ(first.parameters.size(), 3u);
  EXPECT_EQ(first.parameters[2].name, "block_size");
  EXPECT_EQ(second.result, "cudaError_t");
  EXPECT_THAT(second.template_parameters, ElementsAre("T", "B"));
  EXPECT_EQ(second.parameters[0].type, "std::vector<T>&");
  ASSERT_EQ(source.launches.size(), 2u);
  EXPECT_EQ(function_of(source, source.launches[0]), &first);
  EXPECT_EQ(function_of(source, source.launches[1]), &second);
}

TEST(FunctionSource, PassesOverWhatIsNoFunction) {
  EXPECT_THAT(names(source_of("int sizes[] = {1, 2};\nenum Kind { a, b };\nstruct Pair { int a, b; };\n"
                              "void declared(int n);\nauto lambda = [](int n) { return n; };\nint x = f(1);\n"
                              "__global__ void kernel(int n) { if (n) { g(n); } }\nusing F = void (*)(int);\n")),
              IsEmpty());
}

TEST(FunctionSource, NamesNamespacesAndMarksMembersAndDeviceCode) {
  const CudaSource source = source_of(
      "namespace a::b {\nstruct Runner {\n  Runner(int n) : n_(n) {}\n  void run() const noexcept {}\n};\n"
      "__device__ __forceinline__ float twice(float x) { return 2 * x; }\n}\n"
      "extern \"C\" {\nvoid plain(void) {}\n}\n"
      "extern \"C\" int single(int n) { return n; }\nint main() { return 0; }\n");
  ASSERT_THAT(names(source), ElementsAre("a::b::Runner", "a::b::run", "a::b::twice", "plain", "single", "main"));
  EXPECT_TRUE(source.functions[1].is_member);
  EXPECT_TRUE(source.functions[2].is_device);
  EXPECT_EQ(source.functions[2].result, "float");
  EXPECT_FALSE(source.functions[3].is_member);
  EXPECT_THAT(source.functions[3].parameters, IsEmpty());
  EXPECT_EQ(source.functions[4].result, "int");
}

}  // namespace
}  // namespace assay
