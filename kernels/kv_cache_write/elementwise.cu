// A thread per element of the slot: the variant to read first.
//
// Neighbouring threads write neighbouring lanes of a head, so accesses are coalesced, 2 or 4 bytes at a time.
#include "kernels/device/grid.cuh"

namespace {

// The element of a cache (HK, capacity, ad) at head h, slot s, lane d.
inline __host__ __device__ int64_t place(int64_t h, int64_t s, int64_t d, int64_t capacity, int64_t lanes) {
  return (h * capacity + s) * lanes + d;
}

// k, v: (heads, lanes)  k_cache, v_cache: (heads, capacity, lanes). The first `dim` of the lanes are no padding.
template <class T>
__global__ void kv_cache_write(const T* k, const T* v, T* k_cache, T* v_cache, int64_t heads, int64_t capacity,
                               int64_t lanes, int64_t dim, int64_t slot) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= heads * lanes) return;
  const int64_t h = i / lanes, d = i % lanes, to = place(h, slot, d, capacity, lanes);
  k_cache[to] = d < dim ? k[i] : static_cast<T>(0.0f);
  v_cache[to] = d < dim ? v[i] : static_cast<T>(0.0f);
}

std::optional<int64_t> element_at(const assay::Case& c, std::string_view tensor, const std::vector<int64_t>& index) {
  if (tensor != "k_cache" && tensor != "v_cache") return std::nullopt;
  return place(index[0], index[1], index[2], c.dim("capacity"), c.dim("ad"));
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("HK"), lanes = call.dim("ad");
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(kv_cache_write<T>, assay::device::thread_for_each(call, heads * lanes), call.in<T>("k"),
                  call.in<T>("v"), call.out<T>("k_cache"), call.out<T>("v_cache"), heads, call.dim("capacity"), lanes,
                  lanes - call.dim("pad"), call.dim("slot"));
  });
}

const assay::RegisterVariant kVariant({.op = "kv_cache_write",
                                       .name = "elementwise",
                                       .summary = "a thread per element of the slot",
                                       .blocks = {32, 33, 64, 100, 128, 256, 512, 1024},
                                       .unsupported = assay::device::too_many_threads({"HK", "ad"}),
                                       .element_at = element_at,
                                       .run = run});

}  // namespace
