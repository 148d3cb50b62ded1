// All three gradients in one grid: the first blocks make tiles of dX, the others tiles of dW and, on their way, db.
//
// Against three_kernels: one launch fills the machine where each product alone would leave it half empty, parts of 8 by
// 8 are kept in registers, accesses are of 16 bytes, and db costs no read of its own: the blocks of dW's first column
// of tiles have all of dY pass through their shared memory. The price is one kernel with the registers of the larger
// part, and few blocks for dW where W is small and tokens are many.
#include "kernels/device/linear_backward.cuh"
#include "kernels/device/weight_gradient.cuh"

namespace {

using namespace assay::device;

template <class T>
struct Buffers {
  const T *dy, *x, *w;  // (T, N), (T, K), (N, K)
  T* dx;                // (T, K)
  float *dw, *db;       // (N, K), (N)
};

template <class T>
__global__ void __launch_bounds__(kRegisterThreads)
    linear_backward(Buffers<T> buffers, LinearBackwardArgs args, int64_t dx_tiles) {
  __shared__ RegisterTiles tiles;
  if (blockIdx.x >= dx_tiles)
    return make_weight_gradient(buffers.dy, buffers.x, buffers.dw, buffers.db, args.dw, blockIdx.x - dx_tiles, tiles);
  RegisterBlock block(args.dx, blockIdx.x);
  block.multiply(buffers.dy, buffers.w, args.dx, tiles, [](const RegisterTiles&) {});
  block.for_each([&](int64_t row, int64_t col, float sum) { args.dx.store(buffers.dx, row, col, sum); });
}

struct Tiles {
  int64_t dx, dw;

  explicit Tiles(const LinearBackwardArgs& args)
      : dx(gemm_blocks(args.dx.rows, args.dx.cols, kRegisterTile, kRegisterTile)), dw(weight_gradient_tiles(args.dw)) {}
};

void run(assay::Call& call) {
  const LinearBackwardArgs args = linear_backward_args(call.c());
  const Tiles tiles(args);
  if (tiles.dx + tiles.dw == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    const Buffers<T> buffers = {.dy = call.in<T>("dy"),
                                .x = call.in<T>("x"),
                                .w = call.in<T>("w"),
                                .dx = call.out<T>("dx"),
                                .dw = call.out<float>("dw"),
                                .db = call.out<float>("db")};
    assay::launch(linear_backward<T>,
                  {.grid = dim3(static_cast<unsigned>(tiles.dx + tiles.dw)), .block = dim3(kRegisterThreads)}, buffers,
                  args, tiles.dx);
  });
}

std::optional<std::string> unsupported(const assay::Case& c) {
  const Tiles tiles(linear_backward_args(c));
  if (tiles.dx + tiles.dw <= INT32_MAX) return std::nullopt;
  return "dX and dW have more tiles than the 2^31 - 1 blocks of a grid";
}

const assay::RegisterVariant kVariant({.op = "linear_backward",
                                       .name = "one_launch",
                                       .summary = "both products and the column sums in one grid, parts in registers",
                                       .unsupported = unsupported,
                                       .element_at = linear_backward_element_at,
                                       .run = run});

}  // namespace
