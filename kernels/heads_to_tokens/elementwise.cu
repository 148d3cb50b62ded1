// A thread per element of out: the variant to read first. Reads and writes both run along the lanes of a head.
#include "kernels/device/grid.cuh"

namespace {

// The element of in (H, T, ad) and of out (T, H, ad) at head h, token t, lane d.
inline __host__ __device__ int64_t in_place(int64_t h, int64_t t, int64_t d, int64_t tokens, int64_t lanes) {
  return (h * tokens + t) * lanes + d;
}

template <class T>
__global__ void heads_to_tokens(const T* in, T* out, int64_t heads, int64_t tokens, int64_t lanes) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= heads * tokens * lanes) return;
  const int64_t t = i / (heads * lanes), h = i / lanes % heads;
  out[i] = in[in_place(h, t, i % lanes, tokens, lanes)];
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("T"), lanes = call.dim("ad");
  if (tokens == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(heads_to_tokens<T>, assay::device::thread_for_each(call, heads * tokens * lanes), call.in<T>("in"),
                  call.out<T>("out"), heads, tokens, lanes);
  });
}

const assay::RegisterVariant kVariant({.op = "heads_to_tokens",
                                       .name = "elementwise",
                                       .summary = "a thread per element",
                                       .blocks = {32, 33, 64, 100, 128, 256, 512, 1024},
                                       .unsupported = assay::device::too_many_threads({"H", "T", "ad"}),
                                       .run = run});

}  // namespace
