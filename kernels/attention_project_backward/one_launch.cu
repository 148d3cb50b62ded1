// All gradients in one grid: the first blocks make tiles of each head's dattn, the others tiles of each head's dWo,
// those of the first head also dbo.
//
// Against kernel_per_gradient: one launch, 8 by 8 parts in registers, 16-byte accesses, and no read of its own for dbo.
// dout is read anew for every head all the same, mostly from the cache. The price is that a head of 40 or 80 lanes
// leaves a part of its last tile of 64 empty.
#include "kernels/device/attention_project_backward.cuh"
#include "kernels/device/weight_gradient.cuh"

namespace {

using namespace assay::device;

// dattn_tiles, dwo_tiles: of a head
template <class T>
__global__ void __launch_bounds__(kRegisterThreads)
    gradients(AttentionProjectBackward<T> all, int64_t dattn_tiles, int64_t dwo_tiles) {
  __shared__ RegisterTiles tiles;
  const AttentionProjectArgs& sizes = all.args.sizes;
  const int64_t after = int64_t{blockIdx.x} - sizes.heads * dattn_tiles;
  if (after >= 0) {
    const int64_t head = after / dwo_tiles;
    return make_weight_gradient(all.dout, all.attn + sizes.attn_at(head, 0, 0), all.dwo + sizes.wo_at(0, head, 0),
                                head == 0 ? all.dbo : nullptr, all.args.dwo_args(), after % dwo_tiles, tiles);
  }
  const int64_t head = blockIdx.x / dattn_tiles;
  const GemmArgs args = all.args.dattn_args();
  RegisterBlock block(args, blockIdx.x % dattn_tiles);
  block.multiply(all.dout, all.wo + sizes.wo_at(0, head, 0), args, tiles, [](const RegisterTiles&) {});
  T* const to = all.dattn + sizes.attn_at(head, 0, 0);
  block.for_each([&](int64_t row, int64_t col, float sum) { args.store(to, row, col, sum); });
}

struct Tiles {
  int64_t of_dattn, of_dwo, all;

  explicit Tiles(const assay::Case& c) {
    const AttentionProjectBackwardArgs args = attention_project_backward_args(c);
    of_dattn = gemm_blocks(args.sizes.tokens, args.sizes.lanes, kRegisterTile, kRegisterTile);
    of_dwo = weight_gradient_tiles(args.dwo_args());
    all = args.sizes.heads * (of_dattn + of_dwo);
  }
};

std::optional<std::string> unsupported(const assay::Case& c) {
  if (Tiles(c).all <= INT32_MAX) return std::nullopt;
  return "dattn and dwo have more tiles than the 2^31 - 1 blocks of a grid";
}

void run(assay::Call& call) {
  const Tiles tiles(call.c());
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(gradients<T>, {.grid = dim3(static_cast<unsigned>(tiles.all)), .block = dim3(kRegisterThreads)},
                  attention_project_backward<T>(call), tiles.of_dattn, tiles.of_dwo);
  });
}

const assay::RegisterVariant kVariant({.op = "attention_project_backward",
                                       .name = "one_launch",
                                       .summary = "all gradients in one grid, 8 by 8 parts in registers",
                                       .unsupported = unsupported,
                                       .element_at = attention_project_backward_element_at,
                                       .run = run});

}  // namespace
