// Packs of 16 bytes by a grid that walks over them.
//
// Against elementwise: a quarter to an eighth of the accesses, each as wide as one can be, and a grid that fits the GPU
// once, so that no block is scheduled for four bytes. The buffers are one row to it: their ends are cut off once.
#include "kernels/device/grid.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

template <class T>
__global__ void residual_add(const T* a, const T* b, T* out, int64_t count) {  // a, b, out: (count)
  const bool a_aligned = is_pack_aligned(a), b_aligned = is_pack_aligned(b), out_aligned = is_pack_aligned(out);
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t p = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; p < pack_count<T>(count); p += step) {
    const int64_t first = p * Pack<T>::kWidth;
    Pack<T> sum = load_pack(a, first, count, a_aligned, 0);
    const Pack<T> branch = load_pack(b, first, count, b_aligned, 0);
    for (int j = 0; j < Pack<T>::kWidth; ++j)
      sum.values[j] = static_cast<T>(static_cast<float>(sum.values[j]) + static_cast<float>(branch.values[j]));
    store_pack(out, first, count, out_aligned, sum);
  }
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(residual_add<T>, striding(call, pack_count<T>(count), kFillsH200), call.in<T>("a"), call.in<T>("b"),
                  call.out<T>("out"), count);
  });
}

const assay::RegisterVariant kVariant({.op = "residual_add",
                                       .name = "vector_packs",
                                       .summary = "packs of 16 bytes, by a grid that walks over them",
                                       .blocks = {32, 33, 64, 128, 256, 512, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
