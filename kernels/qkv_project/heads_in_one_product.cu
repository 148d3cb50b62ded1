// All heads of q, k and v in one grid: their weights are the rows of three matrices, and heads end anywhere in a tile.
//
// Against kernel_per_head: one launch instead of H + 2 HK, tiles of 64 by 64 across the borders of heads, of which each
// thread keeps 8 by 8 elements in registers, and 16-byte accesses. The price is a division for every element that is
// written, and a tile of 64 rows also where there are fewer tokens.
#include "kernels/device/formats.cuh"
#include "kernels/device/qkv_project.cuh"
#include "kernels/device/register_tile.cuh"

namespace {

using namespace assay::device;

template <class T>
__global__ void __launch_bounds__(kRegisterThreads) qkv_project(Projections<T> all) {
  __shared__ RegisterTiles tiles;
  const int64_t tall = (all.tokens + kRegisterTile - 1) / kRegisterTile;
  int64_t tile = blockIdx.x;
  int which = 0;
  for (; which < 2; ++which) {
    const int64_t before = tall * ((all.each[which].cols() + kRegisterTile - 1) / kRegisterTile);
    if (tile < before) break;
    tile -= before;
  }
  const Projection<T> p = all.each[which];
  const GemmArgs args = projection_args(all.tokens, all.ins, p.cols());
  RegisterBlock block(args, tile);
  block.multiply(all.x, p.w, args, tiles, [](const RegisterTiles&) {});
  block.for_each([&](int64_t token, int64_t col, float sum) {
    if (token >= args.rows || col >= args.cols) return;
    if (p.bias != nullptr) sum += p.bias[col];
    p.out[p.places.at(col / p.places.lanes, token, col % p.places.lanes)] = static_cast<T>(sum);
  });
}

int64_t blocks_of(const assay::Case& c) {
  const int64_t tokens = c.dim("T"), lanes = c.dim("ad");
  return gemm_blocks(tokens, c.dim("H") * lanes, kRegisterTile, kRegisterTile) +
         2 * gemm_blocks(tokens, c.dim("HK") * lanes, kRegisterTile, kRegisterTile);
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (blocks_of(c) <= INT32_MAX) return std::nullopt;
  return "q, k and v have more tiles than the 2^31 - 1 blocks of a grid";
}

void run(assay::Call& call) {
  if (call.dim("T") == 0) return;
  const auto blocks = static_cast<unsigned>(blocks_of(call.c()));
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(qkv_project<T>, {.grid = dim3(blocks), .block = dim3(kRegisterThreads)}, projections<T>(call));
  });
}

const assay::RegisterVariant kVariant({.op = "qkv_project",
                                       .name = "heads_in_one_product",
                                       .summary = "all heads in one grid of tiles, 8 by 8 parts in registers",
                                       .domains = without_blocks({"wq", "wk", "wv"}),
                                       .unsupported = unsupported,
                                       .element_at = qkv_project_element_at,
                                       .run = run});

}  // namespace
