// Four parameters per thread: 16 bytes of m, v and the master weights, 8 or 16 of g and p.
//
// Against elementwise: a quarter of the memory instructions, of which this op has little else. Parameters short of four
// are done one by one, as are tensors that do not begin at a multiple of 16 bytes.
#include <algorithm>

#include "harness/op/variant.h"
#include "kernels/device/adamw.cuh"

namespace {

using namespace assay::device;

constexpr int kWidth = 4;
constexpr int64_t kBlocksMax = 132 * 16;  // of an H200: 16 blocks on each multiprocessor

template <class T>
struct alignas(kWidth * sizeof(T)) Four {
  T values[kWidth];
};

template <class T>
__device__ bool is_aligned(const T* tensor) {
  return reinterpret_cast<uintptr_t>(tensor) % sizeof(Four<T>) == 0;
}

template <class T>
__device__ void step_of_four(const T* g, T* p, float* m, float* v, float* master, const AdamW& optimiser) {
  const Four<T> gradient = *reinterpret_cast<const Four<T>*>(g);
  auto rounded = *reinterpret_cast<Four<T>*>(p);
  auto first = *reinterpret_cast<Four<float>*>(m), second = *reinterpret_cast<Four<float>*>(v);
  Four<float> weight;
  if (master) weight = *reinterpret_cast<Four<float>*>(master);
  for (int j = 0; j < kWidth; ++j) {
    const float before = master ? weight.values[j] : static_cast<float>(rounded.values[j]);
    weight.values[j] =
        optimiser.step(static_cast<float>(gradient.values[j]), before, first.values[j], second.values[j]);
    rounded.values[j] = static_cast<T>(weight.values[j]);
  }
  *reinterpret_cast<Four<T>*>(p) = rounded;
  *reinterpret_cast<Four<float>*>(m) = first;
  *reinterpret_cast<Four<float>*>(v) = second;
  if (master) *reinterpret_cast<Four<float>*>(master) = weight;
}

// g, p: (count)  m, v, master: (count) f32; master may be null
template <class T>
__global__ void adamw(const T* g, T* p, float* m, float* v, float* master, int64_t count, AdamW optimiser) {
  const bool aligned = is_aligned(g) && is_aligned(p) && is_aligned(m) && is_aligned(v) && is_aligned(master);
  const int64_t step = int64_t{gridDim.x} * blockDim.x * kWidth;
  for (int64_t first = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kWidth; first < count; first += step) {
    if (aligned && first + kWidth <= count) {
      step_of_four(g + first, p + first, m + first, v + first, master ? master + first : nullptr, optimiser);
      continue;
    }
    for (int64_t i = first; i < first + kWidth && i < count; ++i) {
      const float before = master ? master[i] : static_cast<float>(p[i]);
      const float weight = optimiser.step(static_cast<float>(g[i]), before, m[i], v[i]);
      p[i] = static_cast<T>(weight);
      if (master) master[i] = weight;
    }
  }
}

void run(assay::Call& call) {
  const int64_t count = call.dim("N");
  if (count == 0) return;
  const int64_t blocks = std::min((count - 1) / (call.block() * int64_t{kWidth}) + 1, kBlocksMax);
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(adamw<T>, {.grid = dim3(call.grid(blocks)), .block = dim3(call.block())}, call.in<T>("g"),
                  call.out<T>("p"), call.out<float>("m"), call.out<float>("v"), call.out<float>("master"), count,
                  optimiser_of(call));
  });
}

const assay::RegisterVariant kVariant({.op = "adamw",
                                       .name = "packs",
                                       .summary = "four parameters per thread, in accesses of up to 16 bytes",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
