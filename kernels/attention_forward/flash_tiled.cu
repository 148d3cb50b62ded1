// Tiles of queries and keys, softmax kept online: no score is ever stored.
//
// Against stored_scores: no workspace, a key or value is read once per tile of queries instead of once per query, in
// 16-byte packs, and products are computed from shared memory. The price is that sums so far are rescaled whenever a
// tile brings a larger score, and that tiles are computed whole even where few queries or keys are left. The kernel is
// in kernels/device/flash_forward.cuh.
#include "kernels/device/flash_forward.cuh"
#include "kernels/device/no_bias.cuh"

namespace {

using namespace assay::device;

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() { launch_flash_forward<T>(call, NoBias()); });
}

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = "flash_tiled",
                                       .summary = "tiles of queries and keys, online softmax, f32 from shared memory",
                                       .blocks = {32, 64, 96, 128, 256},
                                       .unsupported = flash_unsupported,
                                       .element_at = attention_element_at,
                                       .run = run});

}  // namespace
