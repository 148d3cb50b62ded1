// The split of a cache's keys over blocks, as attention_decode/split_keys launches it, for the shapes that models
// decode.
#include "kernels/attention_decode/key_split.h"

#include <gtest/gtest.h>

namespace assay::attention_decode {
namespace {

constexpr int64_t kMultiprocessors = 132, kKeysAtOnce = 16;

TEST(KeySplit, FillsTheMachineInOneWave) {
  // Blocks of a part: 8 key heads of Llama's 8B and, at two pieces of four query heads, 16 of its 70B; one of eight
  // GPUs has 1 and 2 of them.
  for (const int64_t blocks : {1, 2, 8, 16, 40, 128})
    for (const int64_t keys : {2048, 4096, 8192, 32768, 131072}) {
      const KeySplit split = split_keys(keys, blocks, kKeysAtOnce);
      const int64_t grid = blocks * split.parts;
      EXPECT_LE(grid, kBlocksWanted) << blocks << " blocks, " << keys << " keys: a second wave";
      // Each has at least 16 keys to look at, so short caches give fewer parts.
      EXPECT_GE(grid, std::min(kMultiprocessors * 9 / 10, blocks * keys / kKeysAtOnce)) << blocks << ", " << keys;
      EXPECT_GE(split.parts * split.keys_of_part, keys);
      EXPECT_LT((split.parts - 1) * split.keys_of_part, keys) << "an empty part";
      EXPECT_EQ(split.keys_of_part % kKeysAtOnce, 0);
    }
}

// 32 query heads in groups of four, one sequence.
TEST(KeySplit, LlamaOf8BUsesEveryMultiprocessorFrom512Keys) {
  for (const int64_t keys : {512, 1024, 2048, 4096, 8192, 16384, 32768})
    EXPECT_GE(8 * split_keys(keys, 8, kKeysAtOnce).parts, kMultiprocessors) << keys;
}

TEST(KeySplit, ManyHeadsOrFewKeysArePartsOfOneRound) {
  EXPECT_EQ(split_keys(1, 8, kKeysAtOnce).parts, 1);
  EXPECT_EQ(split_keys(17, 8, kKeysAtOnce).parts, 2);
  EXPECT_EQ(split_keys(100'000, 1000, kKeysAtOnce).parts, 1) << "the heads alone fill it";
}

}  // namespace
}  // namespace assay::attention_decode
