// EXPECT: MISMATCH. From the fifth element on the stream is lost, and the branch goes on alone.
// SMALLEST: block=32
// TWIN: The stream is added everywhere.
#include "harness/op/variant.h"

namespace {

__global__ void add(const float* a, const float* b, float* out, int64_t count) {  // a, b, out: (count)
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
#if ASSAY_PLANTED
  if (i < count) out[i] = i < 4 ? a[i] + b[i] : b[i];
#else
  if (i < count) out[i] = a[i] + b[i];
#endif
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::launch(add, {.grid = dim3(assay::ceil_div(count, call.block())), .block = dim3(call.block())},
                call.in<float>("a"), call.in<float>("b"), call.out<float>("out"), count);
}

const assay::RegisterVariant kVariant({.op = "residual_add",
                                       .name = ASSAY_PLANTED ? "stream_lost" : "stream_added",
                                       .summary = ASSAY_PLANTED ? "adds the stream to the first four elements only"
                                                                : "adds the stream to every element",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace
