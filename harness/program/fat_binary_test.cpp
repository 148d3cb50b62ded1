// PTX out of containers, and containers that are damaged.
#include "harness/program/fat_binary.h"

#include <gmock/gmock.h>

#include "harness/program/test_container.h"

namespace assay {
namespace {

using namespace testing_program;
using testing::HasSubstr;

const std::string kText = "// a text that is long enough to be packed: " + std::string(400, 'x');

Image plain(uint32_t architecture, const std::string& text) { return {.architecture = architecture, .bytes = text}; }
Image machine_code() { return {.kind = 2, .bytes = "\x7f ELF"}; }

TEST(FatBinary, UnpacksWhatCompilersPack) {
  for (const Image& image : {plain(90, kText), by_zstd(kText), by_lz4(kText)}) {
    const auto ptx = ptx_of(container({machine_code(), image}));
    ASSERT_TRUE(ptx) << ptx.error().line();
    ASSERT_EQ(ptx->size(), 1u);
    EXPECT_EQ(ptx->front().text, kText) << image.flags;
  }
}

TEST(FatBinary, TakesTheHighestArchitectureThatTheExecutorHas) {
  const auto chosen = [](const std::vector<uint32_t>& architectures) {
    std::vector<Image> images;
    for (const uint32_t each : architectures) images.push_back(plain(each, std::to_string(each)));
    return ptx_of(container(images)).value().front().text;
  };
  EXPECT_EQ(chosen({75, 120, 90, 80}), "90");
  EXPECT_EQ(chosen({75, 80, 100}), "80");
  EXPECT_EQ(chosen({120, 100}), "100");
}

TEST(FatBinary, SeveralLieOneBehindTheOther) {
  const auto ptx = ptx_of(container({machine_code()}) + container({plain(90, "one")}) + container({plain(80, "two")}));
  ASSERT_TRUE(ptx) << ptx.error().line();
  ASSERT_EQ(ptx->size(), 2u);
  EXPECT_EQ((*ptx)[0].text + (*ptx)[1].text, "onetwo");
}

TEST(FatBinary, DamageIsAnErrorWhereverItIs) {
  EXPECT_THAT(ptx_of(container({machine_code()})).error().line(),
              AllOf(HasSubstr("machine code for sm_90 and no PTX"), HasSubstr("NVCC_APPEND_FLAGS=")));
  const std::string whole = container({by_zstd(kText), by_lz4(kText)});
  for (size_t bytes = 1; bytes < whole.size(); ++bytes) EXPECT_FALSE(ptx_of(whole.substr(0, bytes))) << bytes;
  for (size_t at = 0; at < whole.size(); ++at) {  // whatever is in it, reading ends
    std::string changed = whole;
    changed[at] = static_cast<char>(~changed[at]);
    (void)ptx_of(changed);
  }
}

}  // namespace
}  // namespace assay
