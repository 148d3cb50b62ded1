// The parts that planted kernels of rope_qk share: one thread for each lane of the outputs, which turns a pair where it
// is the pair's first and clears padding that is written.
#pragma once

#include "kernels/device/rope_qk.cuh"

namespace assay::selftest {

// Rows of q come first. The caller may change the strides and signs in `a`.
__device__ inline void turn_lane(const device::RopeTensors<float>& tensors, const device::RopeArgs& a, int64_t n) {
  const int64_t lane = n % a.stride, token = n / a.stride % a.tokens, head = n / a.stride / a.tokens;
  const float* x = tensors.row(a, head, token);
  float* out = tensors.out_row(a, head, token);
  if (lane >= a.dim && !a.in_place) out[lane] = 0;
  const int64_t pair = a.neighbours ? lane / 2 : lane, partner = a.neighbours ? lane + 1 : lane + a.half();
  if (lane >= a.dim || (a.neighbours ? lane % 2 != 0 : lane >= a.half())) return;
  const float c = tensors.cosines[a.angles_at(token) + pair], s = a.sign * tensors.sines[a.angles_at(token) + pair];
  const float u = x[lane], v = x[partner];
  out[lane] = u * c - v * s;
  out[partner] = v * c + u * s;
}

inline void launch_turns(Call& call, void (*turn)(device::RopeTensors<float>, device::RopeArgs)) {
  const device::RopeArgs a = device::rope_args(call.c());
  const int64_t lanes = (a.heads + a.kv_heads) * a.tokens * a.stride;
  if (lanes == 0) return;
  launch(turn, {.grid = dim3(ceil_div(lanes, call.block())), .block = dim3(call.block())},
         device::rope_tensors<float>(call), a);
}

}  // namespace assay::selftest
