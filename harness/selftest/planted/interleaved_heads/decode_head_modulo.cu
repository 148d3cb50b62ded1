// EXPECT: MISMATCH PROPERTY. Query head h reads key head h % HK.
// SMALLEST: HK=2 ad=1 pad=0 kv_tokens=1 block=32
// TWIN: Query head h reads key head h / (H / HK).
#include "harness/selftest/decode.cuh"

namespace {

using namespace assay::selftest;

__global__ void decode(DecodeBuffers buffers, assay::device::DecodeArgs args) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, head = i / args.stride, d = i % args.stride;
  if (head >= args.heads) return;
  buffers.out[i] = 0;
  if (d >= args.dim) return;
#if ASSAY_PLANTED
  const DecodeSum sum = decode_slots(buffers, args, head, head % args.kv_heads, 0, args.keys, d);
#else
  const DecodeSum sum = decode_slots(buffers, args, head, head / args.group(), 0, args.keys, d);
#endif
  buffers.out[i] = sum.value / sum.total;
}

void run(assay::Call& call) { launch_decode(call, decode, assay::device::decode_args(call.c())); }

const assay::RegisterVariant kVariant({.op = "attention_decode",
                                       .name = ASSAY_PLANTED ? "decode_head_modulo" : "decode_head_of_group",
                                       .summary = ASSAY_PLANTED ? "reads the key head h % HK"
                                                                : "reads the key head of its group",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 128},
                                       .run = run});

}  // namespace
