// A kernel for dx, one for each dW and one for each db, by square tiles: the variant to read first.
//
// The gradients of q, k and v are read three times, and a bias is summed by one thread for each lane, token by token.
#include "kernels/device/qkv_project_backward.cuh"
#include "kernels/device/square_tile.cuh"

namespace {

using namespace assay::device;

constexpr int kThreads = 128;

template <class T>
__global__ void __launch_bounds__(kSquare* kSquare) make_dx(QkvBackward<T> all) {
  __shared__ SquareTiles tiles;
  const GemmArgs args = all.size.dx_args();
  const SquarePlace place(args, blockIdx.x);
  float sum = 0;
  for (const ProjectionGradient<T>& p : all.each)
    for (int64_t h = 0; h < p.heads; ++h)
      sum += product_by_squares(p.dy + all.size.dy_at(h, 0, 0), p.w + all.size.w_at(h, 0, 0), args, place, tiles);
  args.store(all.dx, place.row, place.col, sum);
}

// tiles_of_head: blocks for each head
template <class T>
__global__ void __launch_bounds__(kSquare* kSquare)
    make_dw(const T* x, ProjectionGradient<T> p, QkvBackwardSizes size, int64_t tiles_of_head) {
  __shared__ SquareTiles tiles;
  const GemmArgs args = size.dw_args();
  const int64_t head = blockIdx.x / tiles_of_head;
  const SquarePlace place(args, blockIdx.x % tiles_of_head);
  args.store(p.dw + size.w_at(head, 0, 0), place.row, place.col,
             product_by_squares(p.dy + size.dy_at(head, 0, 0), x, args, place, tiles));
}

template <class T>
__global__ void make_db(ProjectionGradient<T> p, QkvBackwardSizes size) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= p.heads * size.lanes) return;
  float sum = size.accumulates ? p.db[i] : 0;
  for (int64_t t = 0; t < size.tokens; ++t)
    sum += static_cast<float>(p.dy[size.dy_at(i / size.lanes, t, i % size.lanes)]);
  p.db[i] = sum;
}

int64_t tiles_of(const GemmArgs& args) { return gemm_blocks(args.rows, args.cols, kSquare, kSquare); }

std::optional<std::string> unsupported(const assay::Case& c) {
  const QkvBackwardSizes size = qkv_backward_sizes(c);
  const int64_t heads = std::max(c.dim("H"), c.dim("HK"));
  if (tiles_of(size.dx_args()) <= INT32_MAX && heads * tiles_of(size.dw_args()) <= INT32_MAX) return std::nullopt;
  return "dx or dW has more tiles than the 2^31 - 1 blocks of a grid";
}

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() {
    const QkvBackward<T> all = qkv_backward<T>(call);
    const int64_t dx_tiles = tiles_of(all.size.dx_args()), of_head = tiles_of(all.size.dw_args());
    if (dx_tiles > 0)
      assay::launch(make_dx<T>, {.grid = dim3(static_cast<unsigned>(dx_tiles)), .block = dim3(kSquare, kSquare)}, all);
    for (const ProjectionGradient<T>& p : all.each) {
      const auto blocks = static_cast<unsigned>(p.heads * of_head);
      assay::launch(make_dw<T>, {.grid = dim3(blocks), .block = dim3(kSquare, kSquare)}, all.x, p, all.size, of_head);
      if (p.db == nullptr) continue;
      assay::launch(make_db<T>,
                    {.grid = dim3(assay::ceil_div(p.heads * all.size.lanes, kThreads)), .block = dim3(kThreads)}, p,
                    all.size);
    }
  });
}

const assay::RegisterVariant kVariant({.op = "qkv_project_backward",
                                       .name = "kernel_per_gradient",
                                       .summary = "a kernel each for dx, every dW and every db, by square tiles",
                                       .unsupported = unsupported,
                                       .element_at = qkv_backward_element_at,
                                       .run = run});

}  // namespace
