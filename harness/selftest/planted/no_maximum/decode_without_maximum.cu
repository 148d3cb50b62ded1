// EXPECT: NONFINITE MISMATCH PROPERTY. Weights are exponentials of the scores themselves, without their maximum.
// SMALLEST: H=1 HK=1 pad=0 kv_tokens=1 fill=exponents block=32
// TWIN: Weights count from the largest score so far.
#include "harness/selftest/decode.cuh"

using namespace assay::selftest;

__global__ void decode(DecodeBuffers buffers, assay::device::DecodeArgs args) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, head = i / args.stride, d = i % args.stride;
  if (head >= args.heads) return;
  buffers.out[i] = 0;
  if (d >= args.dim) return;
  const int64_t kv_head = head / args.group();
  DecodeSum sum;
  if (!ASSAY_PLANTED) sum = decode_slots(buffers, args, head, kv_head, 0, args.keys, d);
  for (int64_t j = 0; ASSAY_PLANTED && j < args.keys; ++j) {
    const int64_t slot = args.kv_at(kv_head, j);
    float product = 0;
    for (int64_t e = 0; e < args.dim; ++e) product += buffers.q[args.q_at(head) + e] * buffers.k[slot + e];
    const float weight = expf(product * args.scale);
    sum.total += weight;
    sum.value += weight * buffers.v[slot + d];
  }
  buffers.out[i] = sum.value / sum.total;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_decode",
                              .name = ASSAY_PLANTED ? "decode_without_maximum" : "decode_with_maximum",
                              .blocks = {32, 64, 128},
                              .run = run_decode<decode>});
