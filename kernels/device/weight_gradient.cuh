// The gradient of a linear layer's weights by register blocks, dW = dYᵀ X, and that of its bias on the way.
//
// The blocks of dW's first column of tiles have all of dY pass through their shared memory: db costs no read of its
// own.
#pragma once

#include "kernels/device/register_tile.cuh"

namespace assay::device {

// Tiles of a dW; one without columns has a column of tiles all the same, for db.
inline int64_t weight_gradient_tiles(const GemmArgs& args) {
  return gemm_blocks(args.rows, args.cols > 0 ? args.cols : 1, kRegisterTile, kRegisterTile);
}

// Makes one tile. dy: (depth, rows)  x: (depth, cols)  dw: (rows, cols)  db: (rows), or null
template <class T>
__device__ void make_weight_gradient(const T* dy, const T* x, float* dw, float* db, const GemmArgs& args, int64_t tile,
                                     RegisterTiles& tiles) {
  static_assert(kRegisterThreads == kRegisterTile);
  RegisterBlock block(args, tile);
  const int64_t out = block.first_row + threadIdx.x;  // a thread per row of the tile
  const bool sums_bias = db != nullptr && block.first_col == 0 && out < args.rows;
  float bias = sums_bias && args.accumulates ? db[out] : 0;
  block.multiply(dy, x, args, tiles, [&](const RegisterTiles& step) {
    if (sums_bias)
      for (int t = 0; t < kRegisterDepth; ++t) bias += step.a.at[t][threadIdx.x];
  });
  block.for_each([&](int64_t row, int64_t col, float sum) { args.store(dw, row, col, sum); });
  if (sums_bias) db[out] = bias;
}

}  // namespace assay::device
