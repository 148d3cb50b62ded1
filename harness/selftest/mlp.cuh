// The common parts of planted kernels of mlp_swiglu: a thread per token, in f32.
#pragma once

#include "harness/selftest/planted_kernel.cuh"

namespace assay::selftest {

// x: (tokens, width)  w1: (2 inner, width)  w2: (width, inner)  h: (tokens, 2 inner), or null  y: (tokens, width)
struct Mlp {
  const float *x, *w1, *b1, *w2, *b2;
  float *h, *g, *y;  // g: (tokens, inner), in workspace where it is no result
  int64_t tokens, width, inner;

  __device__ float project(int64_t t, int64_t n) const {
    float sum = b1 != nullptr ? b1[n] : 0;
    for (int64_t e = 0; e < width; ++e) sum += x[t * width + e] * w1[n * width + e];
    if (h != nullptr) h[t * 2 * inner + n] = sum;
    return sum;
  }
  __device__ void gate(int64_t t, int64_t i, float gate, float up) const {
    g[t * inner + i] = gate / (1 + expf(-gate)) * up;
  }
  // y of a token from the first `terms` of its g.
  __device__ void finish(int64_t t, int64_t terms) const {
    for (int64_t e = 0; e < width; ++e) {
      float sum = b2 != nullptr ? b2[e] : 0;
      for (int64_t i = 0; i < terms; ++i) sum += g[t * inner + i] * w2[e * inner + i];
      y[t * width + e] = sum;
    }
  }
};

inline int64_t mlp_workspace(const Case& c) { return 4 * c.dim("T") * c.dim("aI"); }

template <void (*mlp)(Mlp)>
void run_mlp(const Call& call) {
  auto* const kept = call.out<float>("g");
  const Mlp m{.x = call.in<float>("x"),
              .w1 = call.in<float>("w1"),
              .b1 = call.in<float>("b1"),
              .w2 = call.in<float>("w2"),
              .b2 = call.in<float>("b2"),
              .h = call.out<float>("h"),
              .g = kept != nullptr ? kept : call.workspace<float>(),
              .y = call.out<float>("y"),
              .tokens = call.dim("T"),
              .width = call.dim("aE"),
              .inner = call.dim("aI")};
  if (m.tokens == 0) return;
  launch(mlp, device::thread_for_each(call, m.tokens), m);
}

}  // namespace assay::selftest
