// Tensor cores on tiles that cp.async brings into shared memory three steps ahead of the products.
//
// Against register_blocks: bf16 and f16, 16 by 8 by 16 products at a time (mma.sync), copies that go on during the
// arithmetic, and fragments by ldmatrix from swizzled tiles, transposed on the way where the layout needs it. C in
// tiles of 128 by 128 where it has more rows and columns than 64, a warp's part being 64 by 32; else of 64 by 64. The
// price is that rows of A and B must be multiples of 8 elements, for copies of 16 bytes.
#include <type_traits>

#include "kernels/device/copy_pipeline.cuh"
#include "kernels/device/gemm.cuh"
#include "kernels/device/mma.cuh"
#include "kernels/device/swizzled_tile.cuh"

namespace {

using namespace assay::device;

constexpr int kDepth = 32;  // of a tile: two products
constexpr int kStages = 3;  // tiles in shared memory: one in use, two on their way
constexpr int kWarpCols = 32;
constexpr int kSmall = 64;

// The shape of a block that makes a square of C.
constexpr int warp_rows(int tile) { return tile == kSmall ? 32 : 64; }
constexpr int threads_of(int tile) { return tile / warp_rows(tile) * (tile / kWarpCols) * static_cast<int>(kWarp); }

template <class T, int kTile, bool kByK>
using OperandTile = std::conditional_t<kByK, SwizzledTile<T, kDepth, kTile>, SwizzledTile<T, kTile, kDepth>>;

// Begins to fill a tile with x(first …, first_k …). kByK: x is stored (depth, count), else (count, depth).
template <int kThreads, bool kByK, class T, class Tile>
__device__ void begin_operand(Tile& tile, const T* x, int64_t first, int64_t count, int64_t first_k, int64_t depth) {
  if constexpr (kByK)
    tile.begin_load(x + first, count, first_k, depth, count - first, kThreads);
  else
    tile.begin_load(x + first_k, depth, first, count, depth - first_k, kThreads);
}

// The fragment A[m][k] of a tile that holds A as [row][k], or as [k][row].
template <bool kByK, class Tile>
__device__ void read_left(Tile& tile, int row, int k, uint32_t (&fragment)[4]) {
  if constexpr (kByK)
    tile.read_a_transposed(k, row, fragment);
  else
    tile.read_a(row, k, fragment);
}

// Two fragments B[k][n], of the columns from `col` and from col + 8.
template <bool kByK, class Tile>
__device__ void read_right(Tile& tile, int col, int k, uint32_t (&fragments)[4]) {
  if constexpr (kByK)
    tile.read_b(k, col, fragments);
  else
    tile.read_b_transposed(col, k, fragments);
}

template <class T, class C, int kTile, bool kAByK, bool kBByK>
__global__ void __launch_bounds__(threads_of(kTile)) gemm(const T* a, const T* b, C* c, GemmArgs args) {
  constexpr int kThreads = threads_of(kTile), kWarpRows = warp_rows(kTile), kWarpsAcross = kTile / kWarpCols;
  __shared__ OperandTile<T, kTile, kAByK> a_tiles[kStages];
  __shared__ OperandTile<T, kTile, kBByK> b_tiles[kStages];
  const int64_t tiles = (args.cols + kTile - 1) / kTile;
  const int64_t first_row = blockIdx.x / tiles * kTile, first_col = blockIdx.x % tiles * kTile;
  const int warp = static_cast<int>(threadIdx.x / kWarp), lane = static_cast<int>(threadIdx.x % kWarp);
  const int my_row = warp / kWarpsAcross * kWarpRows, my_col = warp % kWarpsAcross * kWarpCols;

  const auto begin = [&](int64_t step, int stage) {
    begin_operand<kThreads, kAByK>(a_tiles[stage], a, first_row, args.rows, step * kDepth, args.depth);
    begin_operand<kThreads, kBByK>(b_tiles[stage], b, first_col, args.cols, step * kDepth, args.depth);
  };
  float sums[kWarpRows / 16][kWarpCols / 8][4] = {};
  pipelined<kStages>((args.depth + kDepth - 1) / kDepth, begin, [&](int stage) {
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
      uint32_t left[kWarpRows / 16][4], right[kWarpCols / 16][4];
#pragma unroll
      for (int i = 0; i < kWarpRows / 16; ++i) read_left<kAByK>(a_tiles[stage], my_row + i * 16, k, left[i]);
#pragma unroll
      for (int j = 0; j < kWarpCols / 16; ++j) read_right<kBByK>(b_tiles[stage], my_col + j * 16, k, right[j]);
#pragma unroll
      for (int i = 0; i < kWarpRows / 16; ++i)
#pragma unroll
        for (int j = 0; j < kWarpCols / 8; ++j) mma_m16n8k16<T>(sums[i][j], left[i], right[j / 2] + j % 2 * 2);
    }
  });

  for_each_in_d(lane, sums, [&](int row, int col, float sum) {
    args.store(c, first_row + my_row + row, first_col + my_col + col, sum);
  });
}

bool has_large_tiles(const GemmArgs& args) { return args.rows > kSmall && args.cols > kSmall; }

std::optional<std::string> unsupported(const assay::Case& c) {
  if (auto why = rows_not_in_chunks(c, 8)) return why;
  return too_many_tiles(c, kSmall);
}

void round_rows_up(assay::Case& c) { round_rows_to_chunks(c, 8); }

template <class T, class C, int kTile>
void launch_tiles(assay::Call& call, const GemmArgs& args) {
  const auto kernel = args.a.is_by_k   ? gemm<T, C, kTile, true, true>
                      : args.b.is_by_k ? gemm<T, C, kTile, false, true>
                                       : gemm<T, C, kTile, false, false>;
  const int64_t blocks = gemm_blocks(args.rows, args.cols, kTile, kTile);
  assay::launch(kernel, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(threads_of(kTile))},
                call.in<T>("a"), call.in<T>("b"), call.out<C>("c"), args);
}

void run(assay::Call& call) {
  const GemmArgs args = gemm_args(call);
  if (args.rows == 0 || args.cols == 0) return;
  by_gemm_dtypes(call, [&]<class T, class C>() {
    if constexpr (sizeof(T) == 2) {
      if (has_large_tiles(args))
        launch_tiles<T, C, 2 * kSmall>(call, args);
      else
        launch_tiles<T, C, kSmall>(call, args);
    }
  });
}

const assay::RegisterVariant kVariant({.op = "gemm",
                                       .name = "tensor_core",
                                       .summary = "mma.sync on tiles that cp.async brings three steps ahead",
                                       .dtypes = {assay::DType::bf16, assay::DType::f16},
                                       .aligned = 16,  // of cp.async
                                       .unsupported = unsupported,
                                       .adjust = round_rows_up,
                                       .run = run});

}  // namespace
