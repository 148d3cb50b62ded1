// A kernel for each gradient, dX and dW by square tiles and db by a thread per column: the variant to read first.
//
// dY is read three times, and the column sums of db take as long as its tokens, one thread after the other row.
#include "kernels/device/linear_backward.cuh"
#include "kernels/device/square_tile.cuh"

namespace {

using namespace assay::device;

template <class T, class C>
__global__ void __launch_bounds__(kSquare* kSquare) multiply(const T* a, const T* b, C* c, GemmArgs args) {
  __shared__ SquareTiles tiles;
  const SquarePlace place(args, blockIdx.x);
  args.store(c, place.row, place.col, product_by_squares(a, b, args, place, tiles));
}

// dy: (tokens, outs)  db: (outs)
template <class T>
__global__ void add_columns(const T* dy, float* db, int64_t tokens, int64_t outs, bool accumulates) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n >= outs) return;
  float sum = accumulates ? db[n] : 0;
  for (int64_t t = 0; t < tokens; ++t) sum += static_cast<float>(dy[t * outs + n]);
  db[n] = sum;
}

template <class T, class C>
void launch_product(const T* a, const T* b, C* c, const GemmArgs& args) {
  const int64_t blocks = gemm_blocks(args.rows, args.cols, kSquare, kSquare);
  if (blocks == 0) return;
  assay::launch(multiply<T, C>, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kSquare, kSquare)}, a, b, c,
                args);
}

void run(assay::Call& call) {
  const LinearBackwardArgs args = linear_backward_args(call.c());
  const int64_t outs = call.dim("N");
  constexpr int kThreads = 128;
  assay::by_dtype(call, [&]<class T>() {
    launch_product(call.in<T>("dy"), call.in<T>("w"), call.out<T>("dx"), args.dx);
    launch_product(call.in<T>("dy"), call.in<T>("x"), call.out<float>("dw"), args.dw);
    if (outs == 0) return;
    assay::launch(add_columns<T>, {.grid = dim3(assay::ceil_div(outs, kThreads)), .block = dim3(kThreads)},
                  call.in<T>("dy"), call.out<float>("db"), call.dim("T"), outs, args.dw.accumulates);
  });
}

std::optional<std::string> unsupported(const assay::Case& c) {
  const LinearBackwardArgs args = linear_backward_args(c);
  if (gemm_blocks(args.dx.rows, args.dx.cols, kSquare, kSquare) <= INT32_MAX &&
      gemm_blocks(args.dw.rows, args.dw.cols, kSquare, kSquare) <= INT32_MAX)
    return std::nullopt;
  return "dX or dW has more tiles than the 2^31 - 1 blocks of a grid";
}

const assay::RegisterVariant kVariant({.op = "linear_backward",
                                       .name = "three_kernels",
                                       .summary = "a kernel each for dX, dW and db, by square tiles",
                                       .unsupported = unsupported,
                                       .element_at = linear_backward_element_at,
                                       .run = run});

}  // namespace
