// f32 matrices on tensor cores, which take 11 significant bits of each element (tf32).
//
// Against register_blocks: mma.sync of 16 by 8 by 8, on tiles of 64 by 64 that cp.async brings three steps ahead. The
// price is precision, which it declares: elements are rounded to the nearest tf32 as they leave shared memory, sums
// stay f32. And rows of A and B must be multiples of 4 elements, for copies of 16 bytes.
#include "kernels/device/copy_pipeline.cuh"
#include "kernels/device/gemm.cuh"
#include "kernels/device/mma.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

constexpr int kTile = 64, kDepth = 16, kStages = 3;
constexpr int kThreads = 128;
constexpr int kPart = 32;  // rows and columns of a warp
constexpr int kChunk = 4;  // elements of a copy

// kByK: [k][i] of a matrix stored (depth, count), else [i][k] of one stored (count, depth). Rows are that much longer
// than their elements that the 8 by 4 elements of a fragment's register lie in 32 banks.
template <bool kByK>
struct alignas(16) OperandTile {
  static constexpr int kRows = kByK ? kDepth : kTile, kCols = kByK ? kTile : kDepth, kStride = kCols + (kByK ? 8 : 4);
  float at[kRows][kStride];

  // Begins to fill the tile with x(first …, first_k …), and zeros beyond x.
  __device__ void begin_load(const float* x, int64_t first, int64_t count, int64_t first_k, int64_t depth) {
    const int64_t first_row = kByK ? first_k : first, rows = kByK ? depth : count;
    const int64_t first_col = kByK ? first : first_k, cols = kByK ? count : depth;
    for (int n = static_cast<int>(threadIdx.x); n < kRows * kCols / kChunk; n += kThreads) {
      const int row = n / (kCols / kChunk), col = n % (kCols / kChunk) * kChunk;
      const bool exists = first_row + row < rows && first_col + col < cols;
      cp_async<16>(&at[row][col], exists ? x + (first_row + row) * cols + first_col + col : x, exists ? 16 : 0);
    }
  }
  __device__ uint32_t read(int i, int k) const { return to_tf32(kByK ? at[k][i] : at[i][k]); }
};

template <bool kAByK, bool kBByK>
__global__ void __launch_bounds__(kThreads) gemm(const float* a, const float* b, float* c, GemmArgs args) {
  __shared__ OperandTile<kAByK> a_tiles[kStages];
  __shared__ OperandTile<kBByK> b_tiles[kStages];
  const int64_t tiles = (args.cols + kTile - 1) / kTile;
  const int64_t first_row = blockIdx.x / tiles * kTile, first_col = blockIdx.x % tiles * kTile;
  const int warp = static_cast<int>(threadIdx.x / kWarp), lane = static_cast<int>(threadIdx.x % kWarp);
  const int my_row = warp / 2 * kPart, my_col = warp % 2 * kPart;

  const auto begin = [&](int64_t step, int stage) {
    a_tiles[stage].begin_load(a, first_row, args.rows, step * kDepth, args.depth);
    b_tiles[stage].begin_load(b, first_col, args.cols, step * kDepth, args.depth);
  };
  float sums[kPart / 16][kPart / 8][4] = {};
  pipelined<kStages>((args.depth + kDepth - 1) / kDepth, begin, [&](int stage) {
#pragma unroll
    for (int k = 0; k < kDepth; k += 8) {
      uint32_t left[kPart / 16][4], right[kPart / 8][2];
      for (int i = 0; i < kPart / 16; ++i)
        for (int e = 0; e < 4; ++e) {
          const MatrixPlace place = place_in_a_tf32(lane, e);
          left[i][e] = a_tiles[stage].read(my_row + i * 16 + place.row, k + place.col);
        }
      for (int j = 0; j < kPart / 8; ++j)
        for (int e = 0; e < 2; ++e) {
          const MatrixPlace place = place_in_b_tf32(lane, e);
          right[j][e] = b_tiles[stage].read(my_col + j * 8 + place.col, k + place.row);
        }
      for (int i = 0; i < kPart / 16; ++i)
        for (int j = 0; j < kPart / 8; ++j) mma_m16n8k8_tf32(sums[i][j], left[i], right[j]);
    }
  });

  for_each_in_d(lane, sums, [&](int row, int col, float sum) {
    args.store(c, first_row + my_row + row, first_col + my_col + col, sum);
  });
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (auto why = rows_not_in_chunks(c, kChunk)) return why;
  return too_many_tiles(c, kTile);
}

void round_rows_up(assay::Case& c) { round_rows_to_chunks(c, kChunk); }

void run(assay::Call& call) {
  const GemmArgs args = gemm_args(call);
  if (args.rows == 0 || args.cols == 0) return;
  const int64_t blocks = gemm_blocks(args.rows, args.cols, kTile, kTile);
  const auto kernel = args.a.is_by_k ? gemm<true, true> : args.b.is_by_k ? gemm<false, true> : gemm<false, false>;
  assay::launch(kernel, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kThreads)}, call.in<float>("a"),
                call.in<float>("b"), call.out<float>("c"), args);
}

const assay::RegisterVariant kVariant({.op = "gemm",
                                       .name = "tensor_core_tf32",
                                       .summary = "f32 matrices as tf32 by mma.sync, copied three steps ahead",
                                       .dtypes = {assay::DType::f32},
                                       .aligned = 16,  // of cp.async
                                       .accumulate = assay::Accumulate::tf32,
                                       .unsupported = unsupported,
                                       .adjust = round_rows_up,
                                       .run = run});

}  // namespace
