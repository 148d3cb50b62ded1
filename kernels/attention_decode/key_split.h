// How the keys of a cache are split over blocks: as many parts as keep a GPU's multiprocessors busy at once, no more.
//
// A wave that is nearly empty takes as long as a full one, so the blocks of all parts are to fit on the machine
// together. The split is a function of the shape alone: the bits of a result do not depend on the GPU.
#pragma once

#include <algorithm>
#include <cstdint>

namespace assay::attention_decode {

constexpr int64_t kBlocksWanted = 132 * 3;  // of an H100 or H200: three blocks on each multiprocessor

struct KeySplit {
  int64_t parts, keys_of_part;  // the last part may have fewer
};

// blocks_of_part: how many blocks share a part, for their heads differ. keys_at_once: keys that a block looks at
// together, of which every part but the last is a multiple. All are at least 1.
inline KeySplit split_keys(int64_t keys, int64_t blocks_of_part, int64_t keys_at_once) {
  const int64_t parts = std::max<int64_t>(1, kBlocksWanted / blocks_of_part);
  const int64_t rounds = (keys + parts * keys_at_once - 1) / (parts * keys_at_once);
  const int64_t keys_of_part = rounds * keys_at_once;
  return {(keys + keys_of_part - 1) / keys_of_part, keys_of_part};
}

}  // namespace assay::attention_decode
