// Both projections of a tile on tensor cores at once; they meet in shared memory and never in memory.
//
// Against shared_tile: bf16 and f16, a tile of x serves the gate and the other half, copies run three steps ahead, and
// y is written in packs of 16 bytes. Two of the four warps make 64 by 32 gates, two the other halves, and each tile of
// h goes through 18 KB of shared memory once, where two kernels would write and read it. The price is K that must be a
// multiple of 8, and half as many columns of y for a tile of x as a plain product has.
#include "kernels/device/copy_pipeline.cuh"
#include "kernels/device/formats.cuh"
#include "kernels/device/gemm.cuh"
#include "kernels/device/mma.cuh"
#include "kernels/device/swizzled_tile.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

constexpr int kRows = 64, kCols = 32, kDepth = 32, kStages = 3, kThreads = 128;
constexpr int kWarpRows = 32;       // of a warp, times all columns
constexpr int kStride = kCols + 4;  // of h: fragments of neighbouring rows lie in different banks

struct SwigluArgs {
  int64_t tokens, outs, ins;
  const float *bg, *bu;  // (outs), or null
};

template <class T>
struct Weights {
  SwizzledTile<T, kCols, kDepth> tile[2];  // of the gate, of the other half
};

// x: (tokens, ins)  wg, wu: (outs, ins)  y: (tokens, outs)
template <class T>
__global__ void __launch_bounds__(kThreads) gemm_swiglu(const T* x, const T* wg, const T* wu, T* y, SwigluArgs args) {
  __shared__ SwizzledTile<T, kRows, kDepth> x_tiles[kStages];
  __shared__ Weights<T> w_tiles[kStages];
  __shared__ float h[2][kRows][kStride];
  const int64_t tiles = (args.outs + kCols - 1) / kCols;
  const int64_t first_row = blockIdx.x / tiles * kRows, first_col = blockIdx.x % tiles * kCols;
  const int warp = static_cast<int>(threadIdx.x / kWarp), lane = static_cast<int>(threadIdx.x % kWarp);
  const int half = warp % 2, my_row = warp / 2 * kWarpRows;

  const auto begin = [&](int64_t step, int stage) {
    const int64_t k = step * kDepth, left = args.ins - k;
    x_tiles[stage].begin_load(x + k, args.ins, first_row, args.tokens, left, kThreads);
    w_tiles[stage].tile[0].begin_load(wg + k, args.ins, first_col, args.outs, left, kThreads);
    w_tiles[stage].tile[1].begin_load(wu + k, args.ins, first_col, args.outs, left, kThreads);
  };
  float sums[kWarpRows / 16][kCols / 8][4] = {};
  pipelined<kStages>((args.ins + kDepth - 1) / kDepth, begin, [&](int stage) {
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
      uint32_t left[kWarpRows / 16][4], right[kCols / 16][4];
#pragma unroll
      for (int i = 0; i < kWarpRows / 16; ++i) x_tiles[stage].read_a(my_row + i * 16, k, left[i]);
#pragma unroll
      for (int j = 0; j < kCols / 16; ++j) w_tiles[stage].tile[half].read_b_transposed(j * 16, k, right[j]);
#pragma unroll
      for (int i = 0; i < kWarpRows / 16; ++i)
#pragma unroll
        for (int j = 0; j < kCols / 8; ++j) mma_m16n8k16<T>(sums[i][j], left[i], right[j / 2] + j % 2 * 2);
    }
  });

  const float* bias = half == 0 ? args.bg : args.bu;
  for_each_in_d(lane, sums, [&](int row, int col, float sum) {
    const bool biased = bias != nullptr && first_col + col < args.outs;
    h[half][my_row + row][col] = sum + (biased ? bias[first_col + col] : 0);
  });
  __syncthreads();

  constexpr int kWidth = Pack<T>::kWidth, kPacks = kCols / kWidth;
  for (int n = static_cast<int>(threadIdx.x); n < kRows * kPacks; n += kThreads) {
    const int row = n / kPacks, col = n % kPacks * kWidth;
    if (first_row + row >= args.tokens) continue;
    Pack<T> pack;
    for (int i = 0; i < kWidth; ++i) {
      const float gate = h[0][row][col + i];
      pack.values[i] = static_cast<T>(gate / (1 + expf(-gate)) * h[1][row][col + i]);
    }
    T* to = y + (first_row + row) * args.outs;
    store_pack(to, first_col + col, args.outs, is_pack_aligned(to), pack);
  }
}

int64_t blocks_of(const assay::Case& c) { return gemm_blocks(c.dim("T"), c.dim("N"), kRows, kCols); }

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.dim("K") % 8 != 0) return "K=" + c.text("K") + " is no multiple of 8: its copies are of 16 bytes";
  if (blocks_of(c) > INT32_MAX) return "y has more tiles than the 2^31 - 1 blocks of a grid";
  return std::nullopt;
}

void run(assay::Call& call) {
  const bool biased = call.text("biases") == "1";
  const SwigluArgs args = {.tokens = call.dim("T"),
                           .outs = call.dim("N"),
                           .ins = call.dim("K"),
                           .bg = biased ? call.in<float>("bg") : nullptr,
                           .bu = biased ? call.in<float>("bu") : nullptr};
  if (args.tokens == 0 || args.outs == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    if constexpr (sizeof(T) == 2)
      assay::launch(gemm_swiglu<T>, {.grid = dim3(static_cast<unsigned>(blocks_of(call.c()))), .block = dim3(kThreads)},
                    call.in<T>("x"), call.in<T>("wg"), call.in<T>("wu"), call.out<T>("y"), args);
  });
}

const assay::RegisterVariant kVariant({.op = "gemm_swiglu",
                                       .name = "fused_tile",
                                       .summary = "both projections by mma.sync, a tile of h in shared memory",
                                       .dtypes = {assay::DType::bf16, assay::DType::f16},
                                       .aligned = 16,  // of cp.async
                                       .domains = without_blocks({"wg", "wu"}),
                                       .unsupported = unsupported,
                                       .adjust =
                                           [](assay::Case& c) { c.set("K", std::to_string((c.dim("K") + 7) / 8 * 8)); },
                                       .run = run});

}  // namespace
