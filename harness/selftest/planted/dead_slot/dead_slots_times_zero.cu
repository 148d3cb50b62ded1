// EXPECT: NONFINITE. All slots of the cache are read, and the weights of those without a token set to 0: times NaN
// that is NaN.
// SMALLEST: H=1 HK=1 ad=1 pad=0 capacity=2 kv_tokens=1 block=32
// TWIN: Slots without a token are not read.
#include "harness/selftest/decode.cuh"

using namespace assay::selftest;

__global__ void decode(DecodeBuffers buffers, assay::device::DecodeArgs args) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, head = i / args.stride, d = i % args.stride;
  if (head >= args.heads) return;
  buffers.out[i] = 0;
  if (d >= args.dim) return;
  const DecodeSum sum = decode_slots(buffers, args, head, head / args.group(), 0, args.keys, d);
  float value = sum.value;
  for (int64_t j = args.keys; ASSAY_PLANTED && j < args.capacity; ++j) {
    const float weight = 0;
    value += weight * buffers.v[args.kv_at(head / args.group(), j) + d];
  }
  buffers.out[i] = value / sum.total;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_decode",
                              .name = ASSAY_PLANTED ? "dead_slots_times_zero" : "dead_slots_left_out",
                              .blocks = {32, 64, 128},
                              .run = run_decode<decode>});
