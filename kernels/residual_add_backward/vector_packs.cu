// Packs of 16 bytes by a grid that walks over them.
//
// Against elementwise: a quarter to an eighth of the accesses, each as wide as one can be, and a grid that fits the GPU
// once, so that no block is scheduled for four bytes. Where da is dout, it writes only db.
#include "kernels/device/grid.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

template <class T>
__global__ void residual_add_backward(const T* dout, T* da, T* db, int64_t count) {  // dout, da, db: (count)
  const bool in_aligned = is_pack_aligned(dout), a_aligned = is_pack_aligned(da), b_aligned = is_pack_aligned(db);
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t p = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; p < pack_count<T>(count); p += step) {
    const int64_t first = p * Pack<T>::kWidth;
    const Pack<T> gradient = load_pack(dout, first, count, in_aligned, 0);
    if (da != dout) store_pack(da, first, count, a_aligned, gradient);
    store_pack(db, first, count, b_aligned, gradient);
  }
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(residual_add_backward<T>, striding(call, pack_count<T>(count), kFillsH200), call.in<T>("dout"),
                  call.out<T>("da"), call.out<T>("db"), count);
  });
}

const assay::RegisterVariant kVariant({.op = "residual_add_backward",
                                       .name = "vector_packs",
                                       .summary = "packs of 16 bytes, by a grid that walks over them",
                                       .blocks = {32, 33, 64, 128, 256, 512, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
