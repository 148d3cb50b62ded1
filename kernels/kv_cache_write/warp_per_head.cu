// A warp per head and cache, in packs of 16 bytes.
//
// Against elementwise: a head of 128 lanes is one load and one store of a warp in f32 and half of one in bf16, and no
// thread divides. Rows that do not start at a multiple of 16 bytes are moved element by element.
#include "kernels/device/grid.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

// k, v: (heads, lanes)  k_cache, v_cache: (heads, capacity, lanes). The first `dim` of the lanes are no padding.
template <class T>
__global__ void kv_cache_write(const T* k, const T* v, T* k_cache, T* v_cache, int64_t heads, int64_t capacity,
                               int64_t lanes, int64_t dim, int64_t slot) {
  const int64_t warp = (blockIdx.x * int64_t{blockDim.x} + threadIdx.x) / kWarp;
  if (warp >= 2 * heads) return;
  const int64_t h = warp % heads;
  const T* from = (warp < heads ? k : v) + h * lanes;
  T* to = (warp < heads ? k_cache : v_cache) + (h * capacity + slot) * lanes;
  const bool from_aligned = is_pack_aligned(from), to_aligned = is_pack_aligned(to);
  for (int64_t d = threadIdx.x % kWarp * Pack<T>::kWidth; d < lanes; d += kWarp * Pack<T>::kWidth)
    store_pack(to, d, lanes, to_aligned, load_pack(from, d, dim, from_aligned, 0));
}

std::optional<std::string> too_many_heads(const assay::Case& c) {
  if (c.dim("HK") > INT32_MAX / 64) return "a warp per head and cache, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("HK"), lanes = call.dim("ad");
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(kv_cache_write<T>, thread_for_each(call, 2 * heads * kWarp), call.in<T>("k"), call.in<T>("v"),
                  call.out<T>("k_cache"), call.out<T>("v_cache"), heads, call.dim("capacity"), lanes,
                  lanes - call.dim("pad"), call.dim("slot"));
  });
}

const assay::RegisterVariant kVariant({.op = "kv_cache_write",
                                       .name = "warp_per_head",
                                       .summary = "a warp per head and cache, in packs of 16 bytes",
                                       .blocks = {32, 64, 96, 128, 256, 512},
                                       .unsupported = too_many_heads,
                                       .run = run});

}  // namespace
