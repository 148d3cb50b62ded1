// One warp per row, maximum and sum found together in one pass, 16-byte accesses.
//
// Against block_per_row: no shared memory and no barrier, x is read twice instead of three times, and a block serves a
// row per warp, so that short rows fill the machine. The price is that a long row has only 32 threads, and that every
// new maximum of a lane costs an exponential to rescale the sum so far.
#include "kernels/device/grid.cuh"
#include "kernels/device/scaled.cuh"
#include "kernels/device/softmax_rows.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

// The maximum of the values seen so far, and the sum of exp(value - maximum).
struct Online {
  float maximum = -INFINITY;
  float total = 0;

  __device__ void add(const float* values, int count) {
    float larger = maximum;
    for (int i = 0; i < count; ++i) larger = Larger()(larger, values[i]);
    rescale(larger);
    // exp(-inf - -inf) would be NaN; values that are all -inf add nothing yet.
    const float shift = maximum == -INFINITY ? 0 : maximum;
    for (int i = 0; i < count; ++i) total += expf(values[i] - shift);
  }
  __device__ void rescale(float larger) {
    if (maximum != larger) total *= expf(maximum - larger);
    maximum = larger;
  }
};

template <class T>
__global__ void softmax_forward(const T* x, T* y, SoftmaxArgs a) {  // x, y: (rows, cols)
  constexpr int kWidth = Pack<T>::kWidth;
  const unsigned lane = threadIdx.x % kWarp;
  const int64_t row = int64_t{blockIdx.x} * (blockDim.x / kWarp) + threadIdx.x / kWarp;
  if (row >= a.rows) return;
  const T* x_row = x + row * a.cols;
  T* y_row = y + row * a.cols;
  const int64_t seen = a.seen(row);
  const bool x_aligned = is_pack_aligned(x_row), y_aligned = is_pack_aligned(y_row);

  Online online;
  for (int64_t pack = lane; pack < pack_count<T>(seen); pack += kWarp) {
    const Pack<T> loaded = load_pack(x_row, pack * kWidth, seen, x_aligned, -INFINITY);
    float values[kWidth];
    for (int i = 0; i < kWidth; ++i) values[i] = scaled(loaded.values[i], a.scale);
    online.add(values, kWidth);
  }
  const float maximum = warp_reduce(online.maximum, Larger());
  online.rescale(maximum);
  const float total = warp_reduce(online.total, Add());

  for (int64_t pack = lane; pack < pack_count<T>(a.cols); pack += kWarp) {
    Pack<T> values = load_pack(x_row, pack * kWidth, seen, x_aligned, -INFINITY);
    for (int i = 0; i < kWidth; ++i)
      values.values[i] =
          static_cast<T>(pack * kWidth + i < seen ? expf(scaled(values.values[i], a.scale) - maximum) / total : 0.0f);
    store_pack(y_row, pack * kWidth, a.cols, y_aligned, values);
  }
}

void run(assay::Call& call) {
  const SoftmaxArgs a = softmax_args(call);
  if (a.rows == 0 || a.cols == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(softmax_forward<T>, thread_for_each(call, a.rows * kWarp), call.in<T>("x"), call.out<T>("y"), a);
  });
}

const assay::RegisterVariant kVariant({.op = "softmax_forward",
                                       .name = "warp_per_row",
                                       .summary = "a warp per row, online maximum and sum, 16-byte accesses",
                                       .blocks = {32, 64, 96, 128, 160, 256, 512, 1024},
                                       .domains = every_softmax(),
                                       .unsupported = too_many_softmax_rows,
                                       .run = run});

}  // namespace
