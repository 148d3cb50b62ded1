// The parts that planted kernels of attention over a cache share: one thread for each element of the output, which goes
// through the slots by itself, so that each of them shows its bug and little else.
#pragma once

#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/decode.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace assay::selftest {

// One head's softmax sum over slots, for one element of the output: maximum, total of weights, weighted values.
struct DecodeSum {
  float maximum = -INFINITY, total = 0, value = 0;

  __device__ void add(float score, float v) {
    const float larger = score > maximum || isnan(score) ? score : maximum;
    const float old = device::decode_weight(maximum, larger), weight = device::decode_weight(score, larger);
    maximum = larger;
    total = total * old + weight;
    value = value * old + weight * v;
  }
};

struct DecodeBuffers {
  const float *q, *k, *v;
  float* out;
};

// The sum over the slots first … end - 1 of `kv_head`, for element d of `head`.
__device__ inline DecodeSum decode_slots(const DecodeBuffers& buffers, const device::DecodeArgs& args, int64_t head,
                                         int64_t kv_head, int64_t first, int64_t end, int64_t d) {
  DecodeSum sum;
  for (int64_t j = first; j < end; ++j) {
    const int64_t slot = args.kv_at(kv_head, j);
    float product = 0;
    for (int64_t i = 0; i < args.dim; ++i) product += buffers.q[args.q_at(head) + i] * buffers.k[slot + i];
    sum.add(product * args.scale, buffers.v[slot + d]);
  }
  return sum;
}

// Blocks of any size, a thread for each element of the output, padding included.
inline void launch_decode(Call& call, void (*decode)(DecodeBuffers, device::DecodeArgs),
                          const device::DecodeArgs& args) {
  const DecodeBuffers buffers = {call.in<float>("q"), call.in<float>("k"), call.in<float>("v"), call.out<float>("out")};
  launch(decode, device::thread_for_each(call, args.heads * args.stride), buffers, args);
}

template <void (*decode)(DecodeBuffers, device::DecodeArgs)>
void run_decode(Call& call) {
  launch_decode(call, decode, device::decode_args(call.c()));
}

}  // namespace assay::selftest
