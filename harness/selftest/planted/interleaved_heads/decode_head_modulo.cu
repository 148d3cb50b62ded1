// EXPECT: MISMATCH PROPERTY. Query head h reads key head h % HK.
// SMALLEST: HK=2 ad=1 pad=0 kv_tokens=1 block=32
// TWIN: Query head h reads key head h / (H / HK).
#include "harness/selftest/decode.cuh"

using namespace assay::selftest;

__global__ void decode(DecodeBuffers buffers, assay::device::DecodeArgs args) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, head = i / args.stride, d = i % args.stride;
  if (head >= args.heads) return;
  buffers.out[i] = 0;
  if (d >= args.dim) return;
  const int64_t kv_head = ASSAY_PLANTED ? head % args.kv_heads : head / args.group();
  const DecodeSum sum = decode_slots(buffers, args, head, kv_head, 0, args.keys, d);
  buffers.out[i] = sum.value / sum.total;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_decode",
                              .name = ASSAY_PLANTED ? "decode_head_modulo" : "decode_head_of_group",
                              .blocks = {32, 64, 128},
                              .run = run_decode<decode>});
