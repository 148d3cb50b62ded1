// Tiles of 64 in shared memory, of which each of 64 threads holds an 8 by 8 part of C in registers.
//
// Against shared_tile: 16 numbers read from shared memory serve 64 products instead of one each, and both operands
// come from memory in packs of 16 bytes in every layout. It is for f32, whose products no tensor core computes. The
// price is a tile of 64 by 64 even where C is smaller, and nothing that overlaps copying with arithmetic but other
// blocks.
#include "kernels/device/register_tile.cuh"

namespace {

using namespace assay::device;

__global__ void __launch_bounds__(kRegisterThreads) gemm(const float* a, const float* b, float* c, GemmArgs args) {
  __shared__ RegisterTiles tiles;
  RegisterBlock block(args, blockIdx.x);
  block.multiply(a, b, args, tiles, [](const RegisterTiles&) {});
  block.for_each([&](int64_t row, int64_t col, float sum) { args.store(c, row, col, sum); });
}

std::optional<std::string> unsupported(const assay::Case& c) { return too_many_tiles(c, kRegisterTile); }

void run(assay::Call& call) {
  const GemmArgs args = gemm_args(call);
  if (args.rows == 0 || args.cols == 0) return;
  const int64_t blocks = gemm_blocks(args.rows, args.cols, kRegisterTile, kRegisterTile);
  assay::launch(gemm, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kRegisterThreads)},
                call.in<float>("a"), call.in<float>("b"), call.out<float>("c"), args);
}

const assay::RegisterVariant kVariant({.op = "gemm",
                                       .name = "register_blocks",
                                       .summary = "an 8 by 8 part of C in each thread's registers, 16-byte accesses",
                                       .dtypes = {assay::DType::f32},
                                       .domains = any_factors(),
                                       .unsupported = unsupported,
                                       .run = run});

}  // namespace
