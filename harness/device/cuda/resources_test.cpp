// Kernel resources: ptxas's words, and occupancy against figures of NVIDIA's occupancy calculator.
#include "harness/device/cuda/resources.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

constexpr const char* kPtxas = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN12_GLOBAL__N_17softmaxIfLi4EEEvPT_PKS1_i' for 'sm_80'
ptxas info    : Function properties for _ZN12_GLOBAL__N_17softmaxIfLi4EEEvPT_PKS1_i
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 4096 bytes smem, 380 bytes cmem[0]
ptxas info    : Compiling entry function 'plain' for 'sm_90a'
ptxas info    : Function properties for plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers, 368 bytes cmem[0]
)";

TEST(ParsePtxas, ReadsEveryKernel) {
  const auto kernels = parse_ptxas(kPtxas);
  ASSERT_TRUE(kernels.has_value());
  ASSERT_EQ(kernels->size(), 2u);
  const KernelResources &softmax = (*kernels)[0], &plain = (*kernels)[1];
  EXPECT_EQ(softmax.kernel, "(anonymous namespace)::softmax<float, 4>");
  EXPECT_EQ(softmax.capability, 80);
  EXPECT_EQ(softmax.registers, 40);
  EXPECT_EQ(softmax.stack_bytes, 16);
  EXPECT_EQ(softmax.spill_bytes, 20);
  EXPECT_EQ(softmax.shared_bytes, 4096);
  EXPECT_EQ(plain.kernel, "plain");
  EXPECT_EQ(plain.capability, 90);
  EXPECT_EQ(plain.shared_bytes, 0);
}

TEST(ParsePtxas, AKernelWithoutRegistersIsAnError) {
  const std::string text = kPtxas;
  const auto cut = parse_ptxas(text.substr(0, text.find("ptxas info    : Used 40")));
  ASSERT_FALSE(cut.has_value());
  EXPECT_THAT(cut.error().what, testing::HasSubstr("softmax<float, 4>"));
}

TEST(ParsePtxas, KnowsTheSourceOfEachObject) {
  const std::string kernels = kPtxas;
  const auto all = parse_ptxas("==> dir/assay_gpu.dir/__/kernels/an_op/idea.cu.o.ptxas <==\n" + kernels +
                               "\n==> elsewhere.cu.o.ptxas <==\n" + kernels);
  ASSERT_TRUE(all.has_value());
  ASSERT_EQ(all->size(), 4u);
  EXPECT_EQ((*all)[0].source, "kernels/an_op/idea.cu");
  EXPECT_EQ((*all)[1].source, "kernels/an_op/idea.cu");
  EXPECT_EQ((*all)[2].source, "");
}

// Mangled names of templates have no limit, nor have a build folder's.
TEST(ParseCodes, KnowsTheCodeOfEachSource) {
  const std::string text = "==> a/kernels/an_op/one.cu.o.ptxas <==\n" + std::string(kPtxas) +
                           "code of the object: 00ff\n==> a/kernels/an_op/two.cu.o.ptxas <==\n" + kPtxas +
                           "==> elsewhere/three.cu.o.ptxas <==\ncode of the object: 11ff\n";
  EXPECT_THAT(parse_codes(text), testing::ElementsAre(testing::Pair("kernels/an_op/one.cu", "00ff")));
  EXPECT_EQ(parse_ptxas(text)->size(), 4u) << "a line of code hides kernels";
}

TEST(ParsePtxas, ReadsLongNamesAndRefusesLongNumbers) {
  const std::string name(300'000, 'k'), folder = std::string(150'000, '/') + std::string(150'000, 'd');
  const auto kernels = parse_ptxas("==> " + folder + "/kernels/an_op/" + name + ".cu.o.ptxas <==\n" +
                                   "ptxas info    : Compiling entry function '" + name + "' for 'sm_80'\n" +
                                   "ptxas info    : Used 40 registers\n");
  ASSERT_TRUE(kernels.has_value());
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ((*kernels)[0].kernel, name);
  EXPECT_EQ((*kernels)[0].source, "kernels/an_op/" + name + ".cu");
  const std::string digits(300, '9');
  EXPECT_TRUE(parse_ptxas("Compiling entry function 'k' for 'sm_" + digits + "'\n")->empty());
  EXPECT_FALSE(parse_ptxas("Compiling entry function 'k' for 'sm_80'\nUsed " + digits + " registers\n"));
}

TEST(FindResources, PrefersTheVariantsFileAndTheNewestGpu) {
  const auto at = [](std::string kernel, int capability, std::string source) {
    const int registers = source.ends_with("one.cu") ? 10 : 20;
    return KernelResources{
        .kernel = std::move(kernel), .capability = capability, .registers = registers, .source = std::move(source)};
  };
  const std::string one = "kernels/op/one.cu", two = "kernels/op/two.cu", three = "kernels/op/three.cu";
  const std::vector<KernelResources> all = {at("(anonymous namespace)::k<float>", 80, two),
                                            at("(anonymous namespace)::k<float>", 80, one),
                                            at("(anonymous namespace)::k<float>", 90, one),
                                            at("(anonymous namespace)::k<float>", 90, two),
                                            at("ns::shared<int>", 80, two),
                                            at("ns::shared<int>", 90, two)};
  EXPECT_EQ(find_resources(all, "op", "one", "k<float>"), &all[2]);
  EXPECT_EQ(find_resources(all, "op", "two", "k<float>"), &all[3]);
  EXPECT_EQ(find_resources(all, "op", "three", "k<float>"), nullptr) << "which of the two?";
  EXPECT_EQ(find_resources(all, "op", "one", "ns::shared<int>"), &all[5]) << "the only one of its name";
  EXPECT_EQ(find_resources(all, "op", "one", "k<double>"), nullptr);
}

TEST(Occupancy, IsBoundByWhatRunsOutFirst) {
  const auto at = [](int registers, int64_t shared, int block, int capability = 80) {
    return occupancy({.kernel = "k", .capability = capability, .registers = registers, .shared_bytes = shared}, block);
  };
  EXPECT_EQ(at(32, 0, 256), 1.0);             // 8 blocks of 256 threads with 32 registers use all 65536
  EXPECT_EQ(at(33, 0, 256), 0.75);            // 33 registers count as 40: 6 blocks
  EXPECT_EQ(at(255, 0, 1024), 0.0);           // 255 registers do not fit with 1024 threads
  EXPECT_EQ(at(32, 0, 32), 0.5);              // 32 blocks of one warp
  EXPECT_EQ(at(32, 48 << 10, 256), 0.375);    // 3 blocks of 49 KB in 164 KB
  EXPECT_EQ(at(32, 48 << 10, 256, 90), 0.5);  // 4 blocks in 228 KB
  EXPECT_EQ(at(32, 0, 33), at(32, 0, 64));    // a partial warp takes the room of a whole one
  EXPECT_EQ(at(32, 0, 256, 86), 1.0);         // 6 blocks of 256 in 1536 threads
  EXPECT_FALSE(at(32, 0, 256, 12).has_value());
}

}  // namespace
}  // namespace assay
