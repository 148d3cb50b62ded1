// Square tiles of 16 in shared memory, one thread for each element of C: the variant to read first, with
// kernels/device/square_tile.cuh.
//
// Every element of A and B is read from memory once per tile of 16 columns or rows instead of once per product. It
// costs two reads of shared memory for each product, and rows of B that are not coalesced in layout nt.
#include "kernels/device/square_tile.cuh"

namespace {

using namespace assay::device;

template <class T, class C>
__global__ void __launch_bounds__(kSquare* kSquare) gemm(const T* a, const T* b, C* c, GemmArgs args) {
  __shared__ SquareTiles tiles;
  const SquarePlace place(args, blockIdx.x);
  args.store(c, place.row, place.col, product_by_squares(a, b, args, place, tiles));
}

std::optional<std::string> unsupported(const assay::Case& c) { return too_many_tiles(c, kSquare); }

void run(assay::Call& call) {
  const GemmArgs args = gemm_args(call);
  if (args.rows == 0 || args.cols == 0) return;
  const int64_t blocks = gemm_blocks(args.rows, args.cols, kSquare, kSquare);
  by_gemm_dtypes(call, [&]<class T, class C>() {
    assay::launch(gemm<T, C>, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kSquare, kSquare)},
                  call.in<T>("a"), call.in<T>("b"), call.out<C>("c"), args);
  });
}

const assay::RegisterVariant kVariant({.op = "gemm",
                                       .name = "shared_tile",
                                       .summary = "tiles of 16 in shared memory, a thread per element of C",
                                       .domains = any_factors(),
                                       .unsupported = unsupported,
                                       .run = run});

}  // namespace
