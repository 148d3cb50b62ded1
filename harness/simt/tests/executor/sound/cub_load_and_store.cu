// EXPECT: PASS: each way in which CUB loads and stores a block's items, of whole blocks and of parts.
// RUNS IN: fast and checked
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>

#include "harness/simt/tests/kernel_test.h"

namespace {

constexpr int kBlock = 64, kItems = 3, kCount = kBlock * kItems, kValid = 131;

// Each thread's items are marked with their place in it: `out` shows which were whose.
template <cub::BlockLoadAlgorithm LOAD, cub::BlockStoreAlgorithm STORE>
__device__ void copy_marked(const int* in, int* out, int valid) {
  using Load = cub::BlockLoad<int, kBlock, kItems, LOAD>;
  using Store = cub::BlockStore<int, kBlock, kItems, STORE>;
  __shared__ typename Load::TempStorage load;
  __shared__ typename Store::TempStorage store;
  int items[kItems];
  if (valid == kCount)
    Load(load).Load(in, items);
  else
    Load(load).Load(in, items, valid, -1);
  for (int i = 0; i < kItems; ++i) items[i] = items[i] * 1000 + static_cast<int>(threadIdx.x) * 10 + i;
  Store(store).Store(out, items, valid);
  __syncthreads();
}

__global__ void cub_load_and_store_kernel(const int* in, int* out) {
  for (const int valid : {kCount, kValid}) {
    copy_marked<cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT>(in, out, valid);
    copy_marked<cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE>(in, out + kCount, valid);
    copy_marked<cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>(in, out + 2 * kCount, valid);
    copy_marked<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE>(in, out + 3 * kCount, valid);
    copy_marked<cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED>(in, out + 4 * kCount, valid);
    out += 5 * kCount;
  }
}

}  // namespace

ASSAY_KERNEL_TEST(cub_load_and_store) {
  const int* const in = input<int>("in", kCount);
  int* const out = accumulated<int>("out", 10 * kCount);
  launch_kernel(cub_load_and_store_kernel, {1, kBlock}, in, out);
  for (int i = 0; i < 10 * kCount; ++i) {
    const int at = i % kCount, way = i / kCount % 5, valid = i < 5 * kCount ? kCount : kValid;
    const int thread = way == 4 ? at % kBlock : at / kItems, item = way == 4 ? at / kBlock : at % kItems;
    if (out[i] != (at < valid ? in[at] * 1000 + thread * 10 + item : 0)) return "an item is another thread's";
  }
  return "";
}
