// Square tiles through shared memory, so that reads and writes both run along rows, in 16-byte packs.
//
// Against elementwise: every fetched sector is used whole. A tile is 128 bytes wide, which is eight packs, and its rows
// in shared memory are one element longer, so that the four rows × eight packs of a warp fall into different banks
// (2-byte elements meet in pairs when they are written). Costs a barrier and 4 or 8 KB of shared memory per block; rows
// that do not start at a multiple of 16 bytes are moved element by element.
#include "kernels/device/grid.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

constexpr int kTileBytes = 128;  // of a row: the width of a cache line

template <class T>
constexpr int kTile = kTileBytes / static_cast<int>(sizeof(T));

template <class T>
__global__ void transpose_2d(const T* in, T* out, int64_t rows, int64_t cols) {  // in: (rows, cols)  out: (cols, rows)
  constexpr int kSide = kTile<T>, kWidth = Pack<T>::kWidth, kPacks = kSide / kWidth;
  __shared__ T tile[kSide][kSide + 1];
  const int64_t tiles_across = (cols + kSide - 1) / kSide;
  const int64_t first_row = blockIdx.x / tiles_across * kSide, first_col = blockIdx.x % tiles_across * kSide;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);

  for (int i = thread; i < kSide * kPacks; i += threads) {
    const int r = i / kPacks, c = i % kPacks * kWidth;
    if (first_row + r >= rows) break;
    const T* row = in + (first_row + r) * cols;
    const Pack<T> pack = load_pack(row, first_col + c, cols, is_pack_aligned(row), 0);
    for (int j = 0; j < kWidth; ++j) tile[r][c + j] = pack.values[j];
  }
  __syncthreads();
  for (int i = thread; i < kSide * kPacks; i += threads) {
    const int c = i / kPacks, r = i % kPacks * kWidth;
    if (first_col + c >= cols) break;
    T* row = out + (first_col + c) * rows;
    Pack<T> pack;
    for (int j = 0; j < kWidth; ++j) pack.values[j] = first_row + r + j < rows ? tile[r + j][c] : static_cast<T>(0.0f);
    store_pack(row, first_row + r, rows, is_pack_aligned(row), pack);
  }
}

int64_t tile_count(int64_t rows, int64_t cols, int64_t side) {
  return ((rows + side - 1) / side) * ((cols + side - 1) / side);
}

std::optional<std::string> too_many_tiles(const assay::Case& c) {
  const int64_t side = kTileBytes / static_cast<int64_t>(assay::size_of(c.dtype));
  if (tile_count(c.dim("rows"), c.dim("cols"), side) > INT32_MAX)
    return "a block per tile, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), cols = call.dim("cols");
  if (rows == 0 || cols == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(transpose_2d<T>, block_for_each(call, tile_count(rows, cols, kTile<T>)), call.in<T>("in"),
                  call.out<T>("out"), rows, cols);
  });
}

const assay::RegisterVariant kVariant({.op = "transpose_2d",
                                       .name = "padded_tile",
                                       .summary = "tiles through shared memory; reads and writes in 16-byte packs",
                                       .blocks = {32, 64, 96, 128, 256, 512},
                                       .unsupported = too_many_tiles,
                                       .run = run});

}  // namespace
