// A warp per head of a token, in packs of 16 bytes.
//
// Against elementwise: one division for a row instead of three for an element, and the widest accesses. Rows that do
// not start at a multiple of 16 bytes are moved element by element.
#include "kernels/device/grid.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

// in: (heads, tokens, lanes)  out: (tokens, heads, lanes)
template <class T>
__global__ void heads_to_tokens(const T* in, T* out, int64_t heads, int64_t tokens, int64_t lanes) {
  const int64_t row = (blockIdx.x * int64_t{blockDim.x} + threadIdx.x) / kWarp;
  if (row >= heads * tokens) return;
  const T* from = in + (row % heads * tokens + row / heads) * lanes;
  T* to = out + row * lanes;
  const bool from_aligned = is_pack_aligned(from), to_aligned = is_pack_aligned(to);
  for (int64_t d = threadIdx.x % kWarp * Pack<T>::kWidth; d < lanes; d += kWarp * Pack<T>::kWidth)
    store_pack(to, d, lanes, to_aligned, load_pack(from, d, lanes, from_aligned, 0));
}

std::optional<std::string> too_many_rows(const assay::Case& c) {
  if (c.dim("H") * c.dim("T") > INT32_MAX / kWarp) return "a warp per row, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("T"), lanes = call.dim("ad");
  if (tokens == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(heads_to_tokens<T>, thread_for_each(call, heads * tokens * kWarp), call.in<T>("in"),
                  call.out<T>("out"), heads, tokens, lanes);
  });
}

const assay::RegisterVariant kVariant({.op = "heads_to_tokens",
                                       .name = "warp_per_row",
                                       .summary = "a warp per head of a token, in packs of 16 bytes",
                                       .blocks = {32, 64, 96, 128, 256, 512},
                                       .unsupported = too_many_rows,
                                       .run = run});

}  // namespace
