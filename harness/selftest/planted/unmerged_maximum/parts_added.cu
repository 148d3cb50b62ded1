// EXPECT: MISMATCH PROPERTY. Two parts of the keys are added up though each counts from a maximum of its own.
// SMALLEST: H=1 HK=1 ad=1 pad=0 kv_tokens=2 block=32
// TWIN: Two parts of the keys are brought to one maximum before they are added up.
#include "harness/selftest/decode.cuh"

using namespace assay::selftest;

__global__ void decode(DecodeBuffers buffers, assay::device::DecodeArgs args) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, head = i / args.stride, d = i % args.stride;
  if (head >= args.heads) return;
  buffers.out[i] = 0;
  if (d >= args.dim) return;
  const int64_t middle = args.keys / 2, kv_head = head / args.group();
  const DecodeSum low = decode_slots(buffers, args, head, kv_head, 0, middle, d);
  const DecodeSum high = decode_slots(buffers, args, head, kv_head, middle, args.keys, d);
  const float maximum = assay::device::Larger()(low.maximum, high.maximum);
  const float a = ASSAY_PLANTED ? 1 : assay::device::decode_weight(low.maximum, maximum);
  const float b = ASSAY_PLANTED ? 1 : assay::device::decode_weight(high.maximum, maximum);
  buffers.out[i] = (low.value * a + high.value * b) / (low.total * a + high.total * b);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_decode",
                              .name = ASSAY_PLANTED ? "parts_added" : "parts_rescaled",
                              .blocks = {32, 64, 128},
                              .run = run_decode<decode>});
