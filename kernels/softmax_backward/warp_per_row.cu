// One warp per row, 16-byte accesses, and rows that are short enough stay in registers between the two passes.
//
// Against block_per_row: no shared memory and no barrier, and a row of up to 1024 f32 or 2048 two-byte elements is read
// from memory once. The price is four compiled kernels per dtype, and only 32 threads for a long row, which is read
// twice.
#include "kernels/device/grid.cuh"
#include "kernels/device/softmax_rows.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

constexpr int kBlockMax = 256;  // held rows take up to 160 registers per thread

template <class T>
__device__ float dot_of(const Pack<T>& a, const Pack<T>& b) {
  float dot = 0;
  for (int i = 0; i < Pack<T>::kWidth; ++i) dot += static_cast<float>(a.values[i]) * static_cast<float>(b.values[i]);
  return dot;
}

// The gradient of a pack whose first `seen` elements are seen by their row; the others get 0.
template <class T>
__device__ Pack<T> gradient(const Pack<T>& y, const Pack<T>& g, float dot, float scale, int64_t seen) {
  Pack<T> dx;
  for (int i = 0; i < Pack<T>::kWidth; ++i) {
    const float each = i < seen ? static_cast<float>(y.values[i]) * (static_cast<float>(g.values[i]) - dot) : 0.0f;
    dx.values[i] = static_cast<T>(scale * each);
  }
  return dx;
}

// kHeld: packs of a row that a lane keeps in registers. A row has at most 32 kHeld packs, or any number when kHeld is
// 0.
template <class T, int kHeld>
__global__ void __launch_bounds__(kBlockMax)
    softmax_backward(const T* y, const T* g, T* dx, SoftmaxArgs a) {  // y, g, dx: (rows, cols)
  constexpr int kWidth = Pack<T>::kWidth;
  const unsigned lane = threadIdx.x % kWarp;
  const int64_t row = int64_t{blockIdx.x} * (blockDim.x / kWarp) + threadIdx.x / kWarp;
  if (row >= a.rows) return;
  const T *y_row = y + row * a.cols, *g_row = g + row * a.cols;
  T* dx_row = dx + row * a.cols;
  const int64_t seen = a.seen(row);
  const bool aligned = is_pack_aligned(y_row) && is_pack_aligned(g_row) && is_pack_aligned(dx_row);
  const auto load = [&](const T* from, int64_t pack) { return load_pack(from, pack * kWidth, seen, aligned, 0); };
  const auto store = [&](int64_t pack, const Pack<T>& y_pack, const Pack<T>& g_pack, float dot) {
    store_pack(dx_row, pack * kWidth, a.cols, aligned, gradient(y_pack, g_pack, dot, a.scale, seen - pack * kWidth));
  };

  float dot = 0;
  if constexpr (kHeld > 0) {
    Pack<T> held_y[kHeld], held_g[kHeld];
    for (int i = 0; i < kHeld; ++i) {
      held_y[i] = load(y_row, lane + i * int64_t{kWarp});
      held_g[i] = load(g_row, lane + i * int64_t{kWarp});
    }
    for (int i = 0; i < kHeld; ++i) dot += dot_of(held_y[i], held_g[i]);
    dot = warp_reduce(dot, Add());
    for (int i = 0; i < kHeld; ++i) store(lane + i * int64_t{kWarp}, held_y[i], held_g[i], dot);
  } else {
    const int64_t packs = pack_count<T>(a.cols);
    for (int64_t pack = lane; pack < pack_count<T>(seen); pack += kWarp)
      dot += dot_of(load(y_row, pack), load(g_row, pack));
    dot = warp_reduce(dot, Add());
    for (int64_t pack = lane; pack < packs; pack += kWarp) store(pack, load(y_row, pack), load(g_row, pack), dot);
  }
}

template <class T>
auto kernel_for(int64_t cols) {
  const int64_t packs = pack_count<T>(cols);
  if (packs <= 2 * kWarp) return softmax_backward<T, 2>;
  if (packs <= 4 * kWarp) return softmax_backward<T, 4>;
  if (packs <= 8 * kWarp) return softmax_backward<T, 8>;
  return softmax_backward<T, 0>;
}

void run(assay::Call& call) {
  const SoftmaxArgs a = softmax_args(call);
  if (a.rows == 0 || a.cols == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(kernel_for<T>(a.cols), thread_for_each(call, a.rows * kWarp), call.in<T>("y"), call.in<T>("g"),
                  call.out<T>("dx"), a);
  });
}

const assay::RegisterVariant kVariant({.op = "softmax_backward",
                                       .name = "warp_per_row",
                                       .summary = "a warp per row, 16-byte accesses, short rows kept in registers",
                                       .blocks = {32, 64, 96, 128, 160, 256},
                                       .domains = every_softmax(),
                                       .unsupported = too_many_softmax_rows,
                                       .run = run});

}  // namespace
