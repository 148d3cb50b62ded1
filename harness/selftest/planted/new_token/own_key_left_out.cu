// EXPECT: MISMATCH PROPERTY. The index of the new token is taken for the number of tokens, so its own key is left out.
// SMALLEST: H=1 HK=1 ad=1 pad=0 kv_tokens=2 block=32
// BUGS: 2 because a first token sees no key at all, and divides by 0
// TWIN: The new token sees its own key.
#include "harness/selftest/decode.cuh"

using namespace assay::selftest;

__global__ void decode(DecodeBuffers buffers, assay::device::DecodeArgs args) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, head = i / args.stride, d = i % args.stride;
  if (head >= args.heads) return;
  buffers.out[i] = 0;
  if (d >= args.dim) return;
  const int64_t keys = ASSAY_PLANTED ? args.keys - 1 : args.keys;
  const DecodeSum sum = decode_slots(buffers, args, head, head / args.group(), 0, keys, d);
  buffers.out[i] = sum.value / sum.total;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_decode",
                              .name = ASSAY_PLANTED ? "own_key_left_out" : "own_key_seen",
                              .blocks = {32, 64, 128},
                              .run = run_decode<decode>});
