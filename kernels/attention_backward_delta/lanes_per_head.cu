// As many lanes of a warp per head as the head has 16-byte packs, up to all 32.
//
// Against thread_per_head: neighbouring lanes read neighbouring packs, also across heads, because heads follow each
// other in memory, and a head's sum is a short tree of shuffles. A whole warp per head would leave three quarters of it
// idle for 64 elements of two bytes. The price is that a number of packs that is no power of two idles some lanes.
#include "harness/op/variant.h"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

// lanes: a power of two up to 32, for each head
template <class T>
__global__ void attention_backward_delta(const T* grad, const T* output,  // (count, dim)
                                         float* delta,                    // (count)
                                         int64_t count, int64_t dim, int lanes) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t head = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
  const int lane = static_cast<int>(threadIdx.x) % lanes;

  float dot = 0;
  if (head < count) {  // lanes without a head stay for the shuffles
    const T *grad_head = grad + head * dim, *output_head = output + head * dim;
    const bool aligned = is_pack_aligned(grad_head) && is_pack_aligned(output_head);
    for (int64_t first = int64_t{lane} * kWidth; first < dim; first += int64_t{lanes} * kWidth) {
      const Pack<T> g = load_pack(grad_head, first, dim, aligned, 0),
                    o = load_pack(output_head, first, dim, aligned, 0);
      for (int j = 0; j < kWidth; ++j) dot += static_cast<float>(g.values[j]) * static_cast<float>(o.values[j]);
    }
  }
  for (int distance = lanes / 2; distance > 0; distance /= 2) dot += __shfl_xor_sync(kAllLanes, dot, distance);
  if (lane == 0 && head < count) delta[head] = dot;
}

int lanes_per_head(assay::DType dtype, int64_t dim) {
  const int64_t width = 16 / static_cast<int64_t>(assay::size_of(dtype));
  int lanes = 1;
  while (lanes < static_cast<int>(kWarp) && lanes * width < dim) lanes *= 2;
  return lanes;
}

std::optional<std::string> too_many_heads(const assay::Case& c) {
  const int64_t count = c.dim("B") * c.dim("S") * c.dim("H");
  if (count / (*c.block / lanes_per_head(c.dtype, c.dim("D"))) >= INT32_MAX)
    return "at worst a warp per head, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t count = call.dim("B") * call.dim("S") * call.dim("H"), dim = call.dim("D");
  if (count == 0) return;
  const int lanes = lanes_per_head(call.dtype(), dim);
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(attention_backward_delta<T>,
                  {.grid = dim3(assay::ceil_div(count, call.block() / static_cast<unsigned>(lanes))),
                   .block = dim3(call.block())},
                  call.in<T>("dO"), call.in<T>("O"), call.out<float>("delta"), count, dim, lanes);
  });
}

const assay::RegisterVariant kVariant({.op = "attention_backward_delta",
                                       .name = "lanes_per_head",
                                       .summary = "as many lanes per head as it has 16-byte packs, summed by shuffles",
                                       .blocks = {32, 64, 96, 128, 160, 256, 512, 1024},
                                       .unsupported = too_many_heads,
                                       .run = run});

}  // namespace
