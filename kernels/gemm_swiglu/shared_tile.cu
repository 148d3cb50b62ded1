// Two products by square tiles, one after the other, and a thread for each element of y: the variant to read first.
//
// x is read once for the gate and once for the other half. Weights in blocks and activations in q8_k become f32 in
// workspace first.
#include "kernels/device/in_f32.cuh"
#include "kernels/device/square_tile.cuh"

namespace {

using namespace assay::device;

// x: (T, K)  wg, wu: (N, K)  bg, bu: (N) f32, or null  y: (T, N)
template <class T>
__global__ void __launch_bounds__(kSquare* kSquare)
    gemm_swiglu(const T* x, const T* wg, const T* wu, const float* bg, const float* bu, T* y, GemmArgs args) {
  __shared__ SquareTiles tiles;
  const SquarePlace place(args, blockIdx.x);
  float gate = product_by_squares(x, wg, args, place, tiles), up = product_by_squares(x, wu, args, place, tiles);
  if (place.row >= args.rows || place.col >= args.cols) return;
  if (bg != nullptr) {
    gate += bg[place.col];
    up += bu[place.col];
  }
  y[args.c_at(place.row, place.col)] = static_cast<T>(gate / (1 + expf(-gate)) * up);
}

GemmArgs args_of(const assay::Case& c) { return {.rows = c.dim("T"), .cols = c.dim("N"), .depth = c.dim("K")}; }

std::optional<std::string> unsupported(const assay::Case& c) {
  const GemmArgs args = args_of(c);
  if (gemm_blocks(args.rows, args.cols, kSquare, kSquare) <= INT32_MAX) return std::nullopt;
  return "y has more tiles than the 2^31 - 1 blocks of a grid";
}

void run(assay::Call& call) {
  const GemmArgs args = args_of(call.c());
  const int64_t blocks = gemm_blocks(args.rows, args.cols, kSquare, kSquare);
  if (blocks == 0) return;
  const bool biased = call.text("biases") == "1";
  assay::by_dtype(call, [&]<class T>() {
    F32Copies copies(call, call.workspace<float>());
    const T* const x = copies.activations(call.in<T>("x"), args.rows * args.depth);
    const T* const wg = copies.weights<T>("wg", args.cols * args.depth);
    const T* const wu = copies.weights<T>("wu", args.cols * args.depth);
    assay::launch(gemm_swiglu<T>, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kSquare, kSquare)}, x, wg,
                  wu, biased ? call.in<float>("bg") : nullptr, biased ? call.in<float>("bu") : nullptr,
                  call.out<T>("y"), args);
  });
}

int64_t workspace_bytes(const assay::Case& c) {
  const GemmArgs args = args_of(c);
  const int64_t weights = args.cols * args.depth;
  return 4 * (copied_activations(c, args.rows * args.depth) + copied_weights(c, "wg", weights) +
              copied_weights(c, "wu", weights));
}

const assay::RegisterVariant kVariant({.op = "gemm_swiglu",
                                       .name = "shared_tile",
                                       .summary = "two products by square tiles, a thread per element of y",
                                       .domains = with_blocks({"wg", "wu"}),
                                       .unsupported = unsupported,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
