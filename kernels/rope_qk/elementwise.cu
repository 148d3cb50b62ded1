// One thread per pair of lanes: the variant to read first.
//
// Accesses are coalesced, but two bytes or four at a time, and every head reads the same cosines and sines again.
#include "kernels/device/grid.cuh"
#include "kernels/device/rope_qk.cuh"

namespace {

using namespace assay::device;

// A row takes half() threads for its pairs and, into other buffers, one for each lane of its padding.
template <class T>
__global__ void rope_qk(RopeTensors<T> tensors, RopeArgs a) {
  const int64_t threads = a.half() + (a.in_place ? 0 : a.stride - a.dim), rows = (a.heads + a.kv_heads) * a.tokens;
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; n < rows * threads; n += step) {
    const int64_t i = n % threads, token = n / threads % a.tokens, head = n / threads / a.tokens;
    T* out = tensors.out_row(a, head, token);
    if (i >= a.half()) {
      out[a.dim + i - a.half()] = static_cast<T>(0.0f);
      continue;
    }
    const T* x = tensors.row(a, head, token);
    const int64_t first = a.neighbours ? 2 * i : i, second = a.neighbours ? first + 1 : first + a.half();
    const float c = tensors.cosines[a.angles_at(token) + i], s = a.sign * tensors.sines[a.angles_at(token) + i];
    const float u = static_cast<float>(x[first]), v = static_cast<float>(x[second]);
    out[first] = static_cast<T>(u * c - v * s);
    out[second] = static_cast<T>(v * c + u * s);
  }
}

void run(assay::Call& call) {
  const RopeArgs a = rope_args(call.c());
  if (a.tokens == 0) return;
  const int64_t threads = (a.heads + a.kv_heads) * a.tokens * (a.half() + (a.in_place ? 0 : a.stride - a.dim));
  assay::by_dtype(call,
                  [&]<class T>() { assay::launch(rope_qk<T>, striding(call, threads), rope_tensors<T>(call), a); });
}

const assay::RegisterVariant kVariant({.op = "rope_qk",
                                       .name = "elementwise",
                                       .summary = "a thread per pair; every head reads the tables again",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .element_at = rope_element_at,
                                       .run = run});

}  // namespace
