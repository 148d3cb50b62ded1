// On a real GPU, where there is one: the command line checks a few cases of everything. Elsewhere these tests are
// skipped, with the reason.
#include <gmock/gmock.h>

#include "harness/base/optional_programs.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/op/registry.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

class RealGpu : public testing::Test {
 protected:
  void SetUp() override {
    setenv("ASSAY_GPU_MODULES", ASSAY_BUILD_DIR, 0);  // this program is in a folder below it
    depends_on("nvcc");
    if (const auto why = why_no_gpu()) GTEST_SKIP() << "no device: " << why->line();
  }
};

TEST_F(RealGpu, SaysWhatItIs) {
  const auto runtime = (*gpu_platform())->open(0);
  ASSERT_TRUE(runtime) << runtime.error().line();
  const GpuInfo& info = (*runtime)->info();
  EXPECT_GE(info.capability, 75) << info.name;
  EXPECT_GT(info.multiprocessors, 0);
  EXPECT_GT(info.sm_mhz, 0);
  EXPECT_GT(info.memory_bytes, int64_t{1} << 30);
}

TEST_F(RealGpu, HoldsMemory) {
  const auto runtime = (*gpu_platform())->open(0);
  ASSERT_TRUE(runtime) << runtime.error().line();
  void* memory = nullptr;
  ASSERT_FALSE((*runtime)->allocate(5, &memory));
  ASSERT_FALSE((*runtime)->upload(memory, "four", 5));
  char back[5] = "";
  ASSERT_FALSE((*runtime)->download(back, memory, 5));
  EXPECT_STREQ(back, "four");
  (*runtime)->release(memory);
  const GpuStatus refused = (*runtime)->allocate(size_t{1} << 60, &memory);
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->out_of_memory) << refused->text;
  EXPECT_FALSE(refused->sticky);
  EXPECT_FALSE((*runtime)->finish()) << "a refused allocation leaves nothing behind";
}

TEST_F(RealGpu, EveryVariantPasses) {
  const selftest::Scratch scratch;
  const auto ran = selftest::run("assay", "check --device gpu --cases 5 --no-save --out " + scratch.path);
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
}

TEST_F(RealGpu, EveryVendorReferenceThatRunsPasses) {
  std::string select;
  for (const Variant* variant : variants())
    if (!variant->vendor.empty()) select += " " + variant->op + "/" + variant->name;
  if (select.empty()) GTEST_SKIP() << "this build has no vendor references";
  const selftest::Scratch scratch;
  const auto ran = selftest::run("assay", "check --device gpu --cases 5 --no-save --out " + scratch.path + select);
  EXPECT_NE(ran.exit_code, 1) << ran.out;
}

}  // namespace
}  // namespace assay
