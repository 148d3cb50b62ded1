// One thread per pair of elements: the variant to read first.
//
// Accesses are coalesced, but two bytes or four at a time, and every head computes the same sines and cosines again.
#include "kernels/device/grid.cuh"

namespace {

// x, out: (tokens, heads, 2 half)  inv_freq: (half) f32  sign: 1 turns forward, -1 backward
template <class T>
__global__ void rope(const T* x, const float* inv_freq, T* out, int64_t tokens, int64_t heads, int64_t half,
                     int64_t offset, float sign, bool neighbours) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < tokens * heads * half; i += step) {
    const int64_t d = i % half, head = i / half;
    const int64_t first = head * 2 * half + (neighbours ? 2 * d : d), second = neighbours ? first + 1 : first + half;
    float s = 0, c = 0;
    sincosf(static_cast<float>(head / heads + offset) * inv_freq[d], &s, &c);
    s *= sign;
    const float a = static_cast<float>(x[first]), b = static_cast<float>(x[second]);
    out[first] = static_cast<T>(a * c - b * s);
    out[second] = static_cast<T>(b * c + a * s);
  }
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), heads = call.dim("H"), half = call.dim("D") / 2;
  if (tokens == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(rope<T>, assay::device::striding(call, tokens * heads * half), call.in<T>("x"),
                  call.in<float>("inv_freq"), call.out<T>("out"), tokens, heads, half, call.dim("pos_offset"),
                  call.text("direction") == "backward" ? -1.0f : 1.0f, call.text("pairs") == "neighbours");
  });
}

const assay::RegisterVariant kVariant({.op = "rope",
                                       .name = "elementwise",
                                       .summary = "a thread per pair; every head computes its own sines",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .domains = {{.name = "pairs", .values = {"half", "neighbours"}},
                                                   {.name = "alias", .values = {"none", "out:x"}}},
                                       .run = run});

}  // namespace
