// EXPECT: MISMATCH. The scale is 1/sqrt(ad), of the head with its padding.
// SMALLEST: H=1 HK=1 ad=2 pad=1 kv_tokens=2 block=32
// TWIN: The scale is 1/sqrt(D), of the head without its padding.
#include "harness/selftest/decode.cuh"

using namespace assay::selftest;

__global__ void decode(DecodeBuffers buffers, assay::device::DecodeArgs args) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, head = i / args.stride, d = i % args.stride;
  if (head >= args.heads) return;
  buffers.out[i] = 0;
  if (d >= args.dim) return;
  const DecodeSum sum = decode_slots(buffers, args, head, head / args.group(), 0, args.keys, d);
  buffers.out[i] = sum.value / sum.total;
}

void run(assay::Call& call) {
  assay::device::DecodeArgs args = assay::device::decode_args(call.c());
  if (ASSAY_PLANTED) args.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(args.stride)));
  launch_decode(call, decode, args);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_decode",
                              .name = ASSAY_PLANTED ? "scaled_by_padded_width" : "scaled_by_width",
                              .blocks = {32, 64, 128},
                              .run = run});
