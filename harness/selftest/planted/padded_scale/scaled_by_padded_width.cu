// EXPECT: MISMATCH. The scale is 1/sqrt(ad), of the head with its padding.
// SMALLEST: H=1 HK=1 ad=2 pad=1 kv_tokens=2 block=32
// TWIN: The scale is 1/sqrt(D), of the head without its padding.
#include "harness/selftest/decode.cuh"

namespace {

using namespace assay::selftest;

__global__ void decode(DecodeBuffers buffers, assay::device::DecodeArgs args) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, head = i / args.stride, d = i % args.stride;
  if (head >= args.heads) return;
  buffers.out[i] = 0;
  if (d >= args.dim) return;
  const DecodeSum sum = decode_slots(buffers, args, head, head / args.group(), 0, args.keys, d);
  buffers.out[i] = sum.value / sum.total;
}

#if ASSAY_PLANTED
void run(assay::Call& call) {
  assay::device::DecodeArgs args = assay::device::decode_args(call.c());
  args.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(args.stride)));
  launch_decode(call, decode, args);
}
#else
void run(assay::Call& call) { launch_decode(call, decode, assay::device::decode_args(call.c())); }
#endif

const assay::RegisterVariant kVariant({.op = "attention_decode",
                                       .name = ASSAY_PLANTED ? "scaled_by_padded_width" : "scaled_by_width",
                                       .summary = ASSAY_PLANTED ? "scales by the head with its padding"
                                                                : "scales by the head without its padding",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 128},
                                       .run = run});

}  // namespace
