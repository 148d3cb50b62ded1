// EXPECT: MISMATCH PROPERTY. Where weights are added to, dW is replaced while db accumulates.
// SMALLEST: T=0 N=1 K=1 dx=overwrite dw=accumulate block=32
// TWIN: dW and db are both added to, or both replaced.
#include "harness/selftest/planted_kernel.cuh"

struct Sizes {
  int64_t tokens, outs, ins;
  bool adds_dx, adds_dw;
};

// A thread for each element of dx (T, K), then of dw (N, K), then of db (N). dy: (T, N)  x: (T, K)  w: (N, K)
__global__ void linear_backward(const float* dy, const float* x, const float* w, float* dx, float* dw, float* db,
                                Sizes size) {
  int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size.tokens * size.ins) {
    const int64_t t = i / size.ins, k = i % size.ins;
    float sum = size.adds_dx ? dx[i] : 0;
    for (int64_t n = 0; n < size.outs; ++n) sum += dy[t * size.outs + n] * w[n * size.ins + k];
    dx[i] = sum;
    return;
  }
  i -= size.tokens * size.ins;
  if (i < size.outs * size.ins) {
    const int64_t n = i / size.ins, k = i % size.ins;
    float sum = !ASSAY_PLANTED && size.adds_dw ? dw[i] : 0;
    for (int64_t t = 0; t < size.tokens; ++t) sum += dy[t * size.outs + n] * x[t * size.ins + k];
    dw[i] = sum;
    return;
  }
  i -= size.outs * size.ins;
  if (i >= size.outs) return;
  float sum = size.adds_dw ? db[i] : 0;
  for (int64_t t = 0; t < size.tokens; ++t) sum += dy[t * size.outs + i];
  db[i] = sum;
}

void run(assay::Call& call) {
  const Sizes size = {call.dim("T"), call.dim("N"), call.dim("K"), call.text("dx") == "accumulate",
                      call.text("dw") == "accumulate"};
  const int64_t threads = (size.tokens + size.outs) * size.ins + size.outs;
  if (threads == 0) return;
  assay::launch(linear_backward, assay::device::thread_for_each(call, threads), call.in<float>("dy"),
                call.in<float>("x"), call.in<float>("w"), call.out<float>("dx"), call.out<float>("dw"),
                call.out<float>("db"), size);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "linear_backward",
                              .name = ASSAY_PLANTED ? "weights_replaced" : "weights_added_to",
                              .blocks = {32, 64, 128},
                              .run = run});
