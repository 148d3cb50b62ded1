// Two launches: a thread holds gates and their other halves in its registers, so that g needs no kernel of its own.
//
// Against three_kernels: h is written only where it is a result, and never read; tiles of 64 by 64 with 8 by 8 parts in
// registers, of which 32 columns are gates and 32 their other halves: each thread owns four of these and the same four
// of those. The price is that a tile of x serves 32 elements of g only.
#include "kernels/device/formats.cuh"
#include "kernels/device/mlp_swiglu.cuh"
#include "kernels/device/register_tile.cuh"

namespace {

using namespace assay::device;

constexpr int kGates = kRegisterTile / 2;

// x: (T, aE)  w1: (2 aI, aE)  h: (T, 2 aI), or null  g: (T, aI)
template <class T>
__global__ void __launch_bounds__(kRegisterThreads) make_g(const T* x, const T* w1, T* h, T* g, MlpArgs mlp) {
  __shared__ RegisterTiles tiles;
  const GemmArgs& args = mlp.up;
  const int64_t inner = mlp.down.depth;
  RegisterBlock block(args, blockIdx.x);
  const int64_t first = block.first_col / 2;  // of the tile's gates
  const auto row_at = [&](int i) -> const T* {
    const int64_t gate = first + i % kGates;
    return gate < inner ? w1 + args.b.at(i / kGates * inner + gate, 0) : nullptr;
  };
  for (int64_t k = 0; k < args.depth; k += kRegisterDepth) {
    tiles.a.load(x, false, block.first_row, args.rows, k, args.depth, args.a.stride);
    tiles.b.load_rows<T>(row_at, k, args.depth);
    __syncthreads();
    block.add_products(tiles);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
#pragma unroll
    for (int j = 0; j < kOwnPack; ++j) {
      const int64_t token = block.first_row + RegisterBlock::place(block.row, i), d = first + block.col + j;
      if (token >= args.rows || d >= inner) continue;
      const float gate = block.sums[i][j] + (args.bias != nullptr ? args.bias[d] : 0);
      const float up = block.sums[i][kOwnPack + j] + (args.bias != nullptr ? args.bias[inner + d] : 0);
      g[mlp.down.a.at(token, d)] = static_cast<T>(gated(gate, up));
      if (h == nullptr) continue;
      h[args.c_at(token, d)] = static_cast<T>(gate);
      h[args.c_at(token, inner + d)] = static_cast<T>(up);
    }
}

// g: (T, aI)  w2: (aE, aI)  y: (T, aE)
template <class T>
__global__ void __launch_bounds__(kRegisterThreads) make_y(const T* g, const T* w2, T* y, GemmArgs args) {
  __shared__ RegisterTiles tiles;
  RegisterBlock block(args, blockIdx.x);
  block.multiply(g, w2, args, tiles, [](const RegisterTiles&) {});
  block.for_each([&](int64_t row, int64_t col, float sum) { args.store(y, row, col, sum); });
}

int64_t blocks_of(const GemmArgs& args) { return gemm_blocks(args.rows, args.cols, kRegisterTile, kRegisterTile); }

std::optional<std::string> unsupported(const assay::Case& c) {
  const MlpArgs args = mlp_args(c, nullptr, nullptr);
  if (blocks_of(args.up) <= INT32_MAX && blocks_of(args.down) <= INT32_MAX) return std::nullopt;
  return "h or y has more tiles than the 2^31 - 1 blocks of a grid";
}

void run(assay::Call& call) {
  const MlpArgs args = mlp_args(call);
  if (args.up.rows == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    T* const kept = call.out<T>("g");
    T* const g = kept != nullptr ? kept : call.workspace<T>();
    assay::launch(make_g<T>, {.grid = dim3(static_cast<unsigned>(blocks_of(args.up))), .block = dim3(kRegisterThreads)},
                  call.in<T>("x"), call.in<T>("w1"), call.out<T>("h"), g, args);
    assay::launch(make_y<T>,
                  {.grid = dim3(static_cast<unsigned>(blocks_of(args.down))), .block = dim3(kRegisterThreads)}, g,
                  call.in<T>("w2"), call.out<T>("y"), args.down);
  });
}

const assay::RegisterVariant kVariant({.op = "mlp_swiglu",
                                       .name = "gate_in_registers",
                                       .summary = "gates and other halves meet in registers, two launches",
                                       .rounds = {"g"},
                                       .domains = without_blocks({"w1", "w2"}),
                                       .unsupported = unsupported,
                                       .element_at = mlp_element_at,
                                       .workspace_bytes =
                                           [](const assay::Case& c) { return 4 * c.dim("T") * c.dim("aI"); },
                                       .run = run});

}  // namespace
