// EXPECT: PASS. Two parts of the keys are brought to one maximum before they are added up.
#include "harness/selftest/decode.cuh"

namespace {

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
  const float a = assay::device::decode_weight(low.maximum, maximum);
  const float b = assay::device::decode_weight(high.maximum, maximum);
  buffers.out[i] = (low.value * a + high.value * b) / (low.total * a + high.total * b);
}

void run(assay::Call& call) { launch_decode(call, decode, assay::device::decode_args(call.c())); }

const assay::RegisterVariant kVariant({.op = "attention_decode",
                                       .name = "parts_rescaled",
                                       .summary = "adds parts up from one maximum",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 128},
                                       .run = run});

}  // namespace
