// The memory that kernels are given on the CPU's devices: shared where the case says so, null where it leaves a tensor
// out, and what was kept still there.
#include "harness/device/aliasing.h"

#include <gtest/gtest.h>

#include "harness/device/device.h"

namespace assay {
namespace {

Contract adding() {
  return {
      .name = "adding",
      .summary = "out = a + bias",
      .dims = {{.name = "n", .meaning = "elements"}},
      .attrs = {{.name = "bias", .meaning = "whether there is one", .choices = {"0", "1"}},
                {.name = "alias", .meaning = "one buffer for two tensors", .choices = {"none", "out:a"}}},
      .tensors = {{.name = "a", .shape = {"n"}},
                  {.name = "b", .shape = {"n"}, .absent = [](const Case& c) { return c.text("bias") == "0"; }},
                  {.name = "out",
                   .role = Role::output,
                   .shape = {"n"},
                   .regions =
                       [](const Case& c) {
                         Regions regions;
                         regions.mark(c.dim("n") - 2, c.dim("n"), Region::kept);
                         return regions;
                       }}},
      .reference = {},
  };
}

// Host code does what a kernel would.
struct Seen {
  bool shared = false, null = false;
};

Variant adding_variant(Seen& seen) {
  return {.op = "adding", .name = "loop", .summary = "out = a + b", .run = [&seen](Call& call) {
            const auto *a = call.in<float>("a"), *b = call.in<float>("b");
            auto* const out = call.out<float>("out");
            seen = {a == out, b == nullptr};
            for (int64_t i = 0; i + 2 < call.dim("n"); ++i) out[i] = a[i] + (b ? b[i] : 0);
          }};
}

class Aliasing : public testing::TestWithParam<std::string> {};

TEST_P(Aliasing, GivesAKernelTheMemoryThatTheCaseAsksFor) {
  const auto device = make_device(GetParam());
  ASSERT_TRUE(device) << device.error().what;
  for (const std::string bias : {"0", "1"})
    for (const std::string alias : {"none", "out:a"}) {
      const Case c = *parse_case("adding/loop f32 n=9 bias=" + bias + " alias=" + alias + " fill=normal seed=3");
      const Tensors given = make_tensors(adding(), c);
      Tensors got = given;
      Seen seen;
      EXPECT_TRUE((*device)->run(adding_variant(seen), c, got, 0).empty());
      EXPECT_EQ(seen.shared, alias != "none");
      EXPECT_EQ(seen.null, bias == "0");
      for (int64_t i = 0; i < 9; ++i) {
        const float b = bias == "1" ? static_cast<float>(given.get("b").at(i)) : 0;
        const double sum = static_cast<float>(given.get("a").at(i)) + b;
        if (i < 7)
          EXPECT_EQ(got.get("out").at(i), sum) << alias << i;
        else
          EXPECT_EQ(got.get("out").bits(i), given.get("out").bits(i)) << alias << i;
        EXPECT_EQ(got.get("a").bits(i), given.get("a").bits(i)) << "the input in `Tensors` stays as it was";
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Aliasing, testing::Values("cpu", kCheckedDevice), [](const auto& one) {
  return one.param == kCheckedDevice ? std::string("checked") : one.param;
});

TEST(SharedMemory, TensorsOfDifferentSizesShareNoBuffer) {
  const Case c = *parse_case("adding/loop f32 n=9 bias=0 alias=out:a fill=normal seed=3");
  Tensors tensors;
  tensors.emplace_back("a", DType::f32, Role::input, std::vector<int64_t>{9});
  tensors.emplace_back("out", DType::f32, Role::output, std::vector<int64_t>{18});
  EXPECT_DEATH(fill_shared_memory(c, tensors), "'out' and 'a' share a buffer and differ in size");
}

}  // namespace
}  // namespace assay
