// That nvcc is called once for a text: a header that is gone the second time shows who was not asked again.
#include "harness/adapter/build/ptx_route/nvcc.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "harness/adapter/build/scratch.h"
#include "harness/base/write_file.h"

namespace assay {
namespace {

TEST(Nvcc, AnswersOnceForAText) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  ASSERT_TRUE(make_scratch_folder());
  const std::string folder = scratch_folder().string(), header = folder + "/nvcc_test_factor.h";
  ASSERT_TRUE(write_file(header, "constexpr float kFactor = 3;\n"));
  Prepared prepared;
  prepared.adapter.source = folder + "/nvcc_test.cu";
  prepared.source_text =
      "#include \"nvcc_test_factor.h\"\nextern \"C\" __global__ void times(float* y) { y[threadIdx.x] *= kFactor; }\n";
  const auto ptx = [&](const std::string& stem) { return ptx_by_nvcc(prepared, "", "", folder + stem); };
  const auto first = ptx("/nvcc_test.first");
  ASSERT_TRUE(first) << first.error().line();
  EXPECT_THAT(first->text, testing::HasSubstr(".entry times"));

  std::filesystem::remove(header);
  const auto second = ptx("/nvcc_test.second");
  ASSERT_TRUE(second) << second.error().line();
  EXPECT_EQ(second->text, first->text);
  EXPECT_TRUE(std::filesystem::exists(folder + "/nvcc_test.second.ptx"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/nvcc_test.first.kept"));
  ASSERT_NE(first_ptx_by_nvcc(prepared), nullptr);
  EXPECT_EQ(first_ptx_by_nvcc(prepared)->text, first->text);

  ASSERT_TRUE(write_file(header, "constexpr float kFactor = 5;\n"));
  prepared.adapter.compile.define = {"OTHER"};
  EXPECT_EQ(first_ptx_by_nvcc(prepared), nullptr);
  const auto third = ptx("/nvcc_test.third");
  ASSERT_TRUE(third) << third.error().line();
  EXPECT_NE(third->text, first->text) << "with other options it is another text";
}

}  // namespace
}  // namespace assay
