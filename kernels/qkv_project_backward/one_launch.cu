// All seven gradients in one grid: the first blocks make tiles of dx, the others tiles of a head's dW and, on their
// way, its db.
//
// Against kernel_per_gradient: one launch instead of four to seven, of which none fills a GPU alone when heads are few;
// 8 by 8 parts in registers, 16-byte accesses, and no read of its own for db. The price is that a head of 40 or 80
// lanes leaves a part of its last tile of 64 empty.
#include "kernels/device/qkv_project_backward.cuh"
#include "kernels/device/weight_gradient.cuh"

namespace {

using namespace assay::device;

template <class T>
__global__ void __launch_bounds__(kRegisterThreads)
    qkv_project_backward(QkvBackward<T> all, int64_t dx_tiles, int64_t dw_tiles) {
  __shared__ RegisterTiles tiles;
  const QkvBackwardSizes& size = all.size;
  if (blockIdx.x >= dx_tiles) {
    int64_t head = (blockIdx.x - dx_tiles) / dw_tiles;
    int which = 0;
    for (; which < 2 && head >= all.each[which].heads; ++which) head -= all.each[which].heads;
    const ProjectionGradient<T> p = all.each[which];
    return make_weight_gradient(p.dy + size.dy_at(head, 0, 0), all.x, p.dw + size.w_at(head, 0, 0),
                                p.db != nullptr ? p.db + head * size.lanes : nullptr, size.dw_args(),
                                (blockIdx.x - dx_tiles) % dw_tiles, tiles);
  }
  const GemmArgs args = size.dx_args();
  RegisterBlock block(args, blockIdx.x);
  for (const ProjectionGradient<T>& p : all.each)
    for (int64_t h = 0; h < p.heads; ++h)
      block.multiply(p.dy + size.dy_at(h, 0, 0), p.w + size.w_at(h, 0, 0), args, tiles, [](const RegisterTiles&) {});
  block.for_each([&](int64_t row, int64_t col, float sum) { args.store(all.dx, row, col, sum); });
}

struct Tiles {
  int64_t dx, of_head, all;

  explicit Tiles(const assay::Case& c) {
    const QkvBackwardSizes size = qkv_backward_sizes(c);
    dx = gemm_blocks(size.tokens, size.ins, kRegisterTile, kRegisterTile);
    of_head = weight_gradient_tiles(size.dw_args());
    all = dx + (c.dim("H") + 2 * c.dim("HK")) * of_head;
  }
};

std::optional<std::string> unsupported(const assay::Case& c) {
  if (Tiles(c).all <= INT32_MAX) return std::nullopt;
  return "dx and dW have more tiles than the 2^31 - 1 blocks of a grid";
}

void run(assay::Call& call) {
  const Tiles tiles(call.c());
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(qkv_project_backward<T>,
                  {.grid = dim3(static_cast<unsigned>(tiles.all)), .block = dim3(kRegisterThreads)},
                  qkv_backward<T>(call), tiles.dx, tiles.of_head);
  });
}

const assay::RegisterVariant kVariant({.op = "qkv_project_backward",
                                       .name = "one_launch",
                                       .summary = "all gradients in one grid, 8 by 8 parts in registers",
                                       .unsupported = unsupported,
                                       .element_at = qkv_backward_element_at,
                                       .run = run});

}  // namespace
