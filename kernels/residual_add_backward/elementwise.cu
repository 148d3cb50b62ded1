// A thread per element: the variant to read first. It reads the element before it writes, so da may be dout.
#include "kernels/device/grid.cuh"

namespace {

template <class T>
__global__ void residual_add_backward(const T* dout, T* da, T* db, int64_t count) {  // dout, da, db: (count)
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const T gradient = dout[i];
  da[i] = gradient;
  db[i] = gradient;
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(residual_add_backward<T>, assay::device::thread_for_each(call, count), call.in<T>("dout"),
                  call.out<T>("da"), call.out<T>("db"), count);
  });
}

const assay::RegisterVariant kVariant({.op = "residual_add_backward",
                                       .name = "elementwise",
                                       .summary = "a thread per element",
                                       .blocks = {32, 33, 64, 100, 128, 256, 512, 1024},
                                       .unsupported = assay::device::too_many_threads({"T", "aE"}),
                                       .run = run});

}  // namespace
