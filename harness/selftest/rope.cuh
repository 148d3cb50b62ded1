// The parts that planted kernels of rope_qk share: one thread for each lane of the outputs, which turns a pair where it
// is the pair's first and clears padding that is written. And a launch of kernels of rope.
#pragma once

#include "harness/selftest/planted_kernel.cuh"
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

template <void (*turn)(device::RopeTensors<float>, device::RopeArgs)>
void run_turns(const Call& call) {
  const device::RopeArgs a = device::rope_args(call.c());
  const int64_t lanes = (a.heads + a.kv_heads) * a.tokens * a.stride;
  if (lanes == 0) return;
  launch(turn, device::thread_for_each(call, lanes), device::rope_tensors<float>(call), a);
}

// rope with a block for each head. x, out: (tokens, gridDim.x, 2 half)
template <void (*rope)(const float* x, const float* inv_freq, float* out, int64_t tokens, int64_t half, int64_t offset,
                       float sign)>
void run_heads(const Call& call) {
  if (call.dim("T") == 0) return;
  launch(rope, device::block_for_each(call, call.dim("H")), call.in<float>("x"), call.in<float>("inv_freq"),
         call.out<float>("out"), call.dim("T"), call.dim("D") / 2, call.dim("pos_offset"),
         call.text("direction") == "backward" ? -1.0f : 1.0f);
}

}  // namespace assay::selftest
