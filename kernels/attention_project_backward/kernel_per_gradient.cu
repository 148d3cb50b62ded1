// A kernel each for dattn, dWo and dbo, of all heads and by square tiles: the variant to read first.
//
// dout is read anew for every head, twice, and dbo is summed by one thread for each of its elements, token by token.
#include "kernels/device/attention_project_backward.cuh"
#include "kernels/device/square_tile.cuh"

namespace {

using namespace assay::device;

constexpr int kThreads = 128;

// Blocks: tiles_of_head for each head.
template <class T>
__global__ void __launch_bounds__(kSquare* kSquare) make_dattn(AttentionProjectBackward<T> all, int64_t tiles_of_head) {
  __shared__ SquareTiles tiles;
  const GemmArgs args = all.args.dattn_args();
  const int64_t head = blockIdx.x / tiles_of_head;
  const SquarePlace place(args, blockIdx.x % tiles_of_head);
  const float sum = product_by_squares(all.dout, all.wo + all.args.sizes.wo_at(0, head, 0), args, place, tiles);
  args.store(all.dattn + all.args.sizes.attn_at(head, 0, 0), place.row, place.col, sum);
}

template <class T>
__global__ void __launch_bounds__(kSquare* kSquare) make_dwo(AttentionProjectBackward<T> all, int64_t tiles_of_head) {
  __shared__ SquareTiles tiles;
  const GemmArgs args = all.args.dwo_args();
  const int64_t head = blockIdx.x / tiles_of_head;
  const SquarePlace place(args, blockIdx.x % tiles_of_head);
  const float sum = product_by_squares(all.dout, all.attn + all.args.sizes.attn_at(head, 0, 0), args, place, tiles);
  args.store(all.dwo + all.args.sizes.wo_at(0, head, 0), place.row, place.col, sum);
}

template <class T>
__global__ void make_dbo(AttentionProjectBackward<T> all) {
  const int64_t e = blockIdx.x * int64_t{blockDim.x} + threadIdx.x, outs = all.args.sizes.outs;
  if (e >= outs) return;
  float sum = all.args.accumulates ? all.dbo[e] : 0;
  for (int64_t t = 0; t < all.args.sizes.tokens; ++t) sum += static_cast<float>(all.dout[t * outs + e]);
  all.dbo[e] = sum;
}

int64_t tiles_of(const GemmArgs& args) { return gemm_blocks(args.rows, args.cols, kSquare, kSquare); }

std::optional<std::string> unsupported(const assay::Case& c) {
  const AttentionProjectBackwardArgs args = attention_project_backward_args(c);
  if (args.sizes.heads * std::max(tiles_of(args.dattn_args()), tiles_of(args.dwo_args())) <= INT32_MAX)
    return std::nullopt;
  return "dattn or dwo has more tiles than the 2^31 - 1 blocks of a grid";
}

void run(assay::Call& call) {
  const AttentionProjectBackwardArgs args = attention_project_backward_args(call.c());
  const int64_t of_dattn = tiles_of(args.dattn_args()), of_dwo = tiles_of(args.dwo_args());
  assay::by_dtype(call, [&]<class T>() {
    const AttentionProjectBackward<T> all = attention_project_backward<T>(call);
    const auto by_squares = [&](auto kernel, int64_t of_head) {
      if (of_head == 0) return;
      const auto blocks = static_cast<unsigned>(args.sizes.heads * of_head);
      assay::launch(kernel, {.grid = dim3(blocks), .block = dim3(kSquare, kSquare)}, all, of_head);
    };
    by_squares(make_dattn<T>, of_dattn);
    by_squares(make_dwo<T>, of_dwo);
    if (all.dbo == nullptr) return;
    assay::launch(make_dbo<T>, {.grid = dim3(assay::ceil_div(args.sizes.outs, kThreads)), .block = dim3(kThreads)},
                  all);
  });
}

const assay::RegisterVariant kVariant({.op = "attention_project_backward",
                                       .name = "kernel_per_gradient",
                                       .summary = "a kernel each for dattn, dwo and dbo, by square tiles",
                                       .unsupported = unsupported,
                                       .element_at = attention_project_backward_element_at,
                                       .run = run});

}  // namespace
