// One thread per parameter: the variant to read first.
#include "kernels/device/adamw.cuh"
#include "kernels/device/grid.cuh"

namespace {

using namespace assay::device;

// g, p: (count)  m, v, master: (count) f32; master may be null
template <class T>
__global__ void adamw(const T* g, T* p, float* m, float* v, float* master, int64_t count, AdamW optimiser) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const float before = master ? master[i] : static_cast<float>(p[i]);
    const float weight = optimiser.step(static_cast<float>(g[i]), before, m[i], v[i]);
    p[i] = static_cast<T>(weight);
    if (master) master[i] = weight;
  }
}

void run(assay::Call& call) {
  const int64_t count = call.dim("N");
  if (count == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(adamw<T>, striding(call, count), call.in<T>("g"), call.out<T>("p"), call.out<float>("m"),
                  call.out<float>("v"), call.out<float>("master"), count, optimiser_of(call));
  });
}

const assay::RegisterVariant kVariant({.op = "adamw",
                                       .name = "elementwise",
                                       .summary = "a thread per parameter",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
