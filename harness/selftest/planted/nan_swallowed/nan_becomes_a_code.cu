// EXPECT: NONFINITE. A NaN among activations becomes the code 127.
// SMALLEST: T=1 N=1 K=256
// TWIN: A block with a NaN among its activations has no number.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/quantised.cuh"

using namespace assay::device;

// Elements of a block of 256 as q8_k has them.
struct Codes {
  const float* x;
  float scale = 0;
  bool finite = true;

  __device__ explicit Codes(const float* block) : x(block) {
    float size = 0;
    for (int i = 0; i < Q8_K::kElements; ++i) {
      size = fmaxf(size, fabsf(x[i]));
      finite = finite && (ASSAY_PLANTED || fabsf(x[i]) <= 3.4028235e38f);
    }
    scale = size / 127;
  }
  __device__ float value(int i) const {
    if (!finite) return NAN;
    if (scale == 0) return 0;
    return scale * fmaxf(-127, fminf(127, rintf(x[i] / scale)));
  }
};

// A thread per element of y. x: (tokens, ins)  wg, wu: (outs, ins)  y: (tokens, outs)
__global__ void gemm_swiglu(const float* x, const float* wg, const float* wu, float* y, int64_t tokens, int64_t outs,
                            int64_t ins) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= tokens * outs) return;
  const int64_t token = i / outs, out = i % outs;
  float gate = 0, up = 0;
  for (int64_t first = 0; first < ins; first += Q8_K::kElements) {
    const Codes codes(x + token * ins + first);
    for (int k = 0; k < Q8_K::kElements; ++k) {
      gate += codes.value(k) * wg[out * ins + first + k];
      up += codes.value(k) * wu[out * ins + first + k];
    }
  }
  y[i] = gate / (1 + expf(-gate)) * up;
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), outs = call.dim("N");
  if (tokens * outs == 0) return;
  assay::launch(gemm_swiglu, thread_for_each(call, tokens * outs), call.in<float>("x"), call.in<float>("wg"),
                call.in<float>("wu"), call.out<float>("y"), tokens, outs, call.dim("K"));
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "gemm_swiglu",
                              .name = ASSAY_PLANTED ? "nan_becomes_a_code" : "nan_leaves_no_code",
                              .blocks = {32, 64},
                              .domains = {{.name = "biases", .values = {"0"}},
                                          {.name = "wg_format", .values = {"none"}},
                                          {.name = "wu_format", .values = {"none"}},
                                          {.name = "activations", .values = {"q8_k"}}},
                              .run = run});
