// Tiles of 64 in shared memory, of which each of 64 threads holds an 8 by 8 part of C in registers.
//
// Against shared_tile: 16 numbers read from shared memory serve 64 products instead of one each, and both operands
// come from memory in packs of 16 bytes in every layout. It is for f32, whose products no tensor core computes. The
// price is a tile of 64 by 64 even where C is smaller, and nothing that overlaps copying with arithmetic but other
// blocks.
#include "kernels/device/gemm.cuh"
#include "kernels/device/shared_tile.cuh"

namespace {

using namespace assay::device;

constexpr int kTile = 64, kDepth = 16, kThreads = 64;
constexpr int kPack = Pack<float>::kWidth;
constexpr int kHalf = kTile / 2;  // a thread's 8 rows are two fours, one in each half: no two lanes meet in a bank
constexpr int kOwn = 2 * kPack;

struct alignas(16) OperandTile {
  float at[kDepth][kTile + kPack];  // [k][row of A, or column of B]
};

// tile[k][i] = x(first + i, first_k + k), and zeros beyond x. by_k: x is stored (depth, count), else (count, depth).
__device__ void load_operand(OperandTile& tile, const float* x, bool by_k, int64_t first, int64_t count,
                             int64_t first_k, int64_t depth) {
  for (int n = static_cast<int>(threadIdx.x); n < kTile * kDepth / kPack; n += kThreads) {
    if (by_k) {
      const int k = n / (kTile / kPack), i = n % (kTile / kPack) * kPack;
      const float* row = x + (first_k + k) * count;
      pack_at(&tile.at[k][i]) = load_pack(row, first + i, first_k + k < depth ? count : 0, is_pack_aligned(row), 0);
    } else {
      const int i = n / (kDepth / kPack), k = n % (kDepth / kPack) * kPack;
      const float* row = x + (first + i) * depth;
      const Pack<float> pack = load_pack(row, first_k + k, first + i < count ? depth : 0, is_pack_aligned(row), 0);
      for (int j = 0; j < kPack; ++j) tile.at[k + j][i] = pack.values[j];
    }
  }
}

// The thread's eight elements of a row of a tile: four from `offset`, four from half a tile further.
__device__ void read_own(const float* row, int offset, float (&own)[kOwn]) {
  const Pack<float> low = pack_at(row + offset), high = pack_at(row + kHalf + offset);
  for (int i = 0; i < kPack; ++i) {
    own[i] = low.values[i];
    own[kPack + i] = high.values[i];
  }
}

__global__ void __launch_bounds__(kThreads) gemm(const float* a, const float* b, float* c, GemmArgs args) {
  __shared__ OperandTile a_tile, b_tile;
  const int64_t tiles = (args.cols + kTile - 1) / kTile;
  const int64_t first_row = blockIdx.x / tiles * kTile, first_col = blockIdx.x % tiles * kTile;
  const int my_row = static_cast<int>(threadIdx.x) / 8 * kPack, my_col = static_cast<int>(threadIdx.x) % 8 * kPack;

  float sums[kOwn][kOwn] = {};
  for (int64_t k = 0; k < args.depth; k += kDepth) {
    load_operand(a_tile, a, args.a_by_k, first_row, args.rows, k, args.depth);
    load_operand(b_tile, b, args.b_by_k, first_col, args.cols, k, args.depth);
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      float left[kOwn], right[kOwn];
      read_own(a_tile.at[d], my_row, left);
      read_own(b_tile.at[d], my_col, right);
      for (int i = 0; i < kOwn; ++i)
        for (int j = 0; j < kOwn; ++j) sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  const auto place = [](int first, int i) { return first + i % kPack + i / kPack * kHalf; };
  for (int i = 0; i < kOwn; ++i)
    for (int j = 0; j < kOwn; ++j)
      args.store(c, first_row + place(my_row, i), first_col + place(my_col, j), sums[i][j]);
}

std::optional<std::string> unsupported(const assay::Case& c) { return too_many_tiles(c, kTile); }

void run(assay::Call& call) {
  const GemmArgs args = gemm_args(call);
  if (args.rows == 0 || args.cols == 0) return;
  const int64_t blocks = gemm_blocks(args.rows, args.cols, kTile, kTile);
  assay::launch(gemm, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kThreads)}, call.in<float>("a"),
                call.in<float>("b"), call.out<float>("c"), args);
}

const assay::RegisterVariant kVariant({.op = "gemm",
                                       .name = "register_blocks",
                                       .summary = "an 8 by 8 part of C in each thread's registers, 16-byte accesses",
                                       .dtypes = {assay::DType::f32},
                                       .unsupported = unsupported,
                                       .element_at = gemm_element_at,
                                       .run = run});

}  // namespace
