// Square tiles of 16 in shared memory, one thread for each element of C: the variant to read first.
//
// Every element of A and B is read from memory once per tile of 16 columns or rows instead of once per product. It
// costs two reads of shared memory for each product, and rows of B that are not coalesced in layout nt.
#include "kernels/device/gemm.cuh"

namespace {

using assay::device::GemmArgs;

constexpr int kTile = 16;

template <class T, class C>
__global__ void __launch_bounds__(kTile* kTile) gemm(const T* a, const T* b, C* c, GemmArgs args) {
  __shared__ float a_tile[kTile][kTile], b_tile[kTile][kTile];  // [row][k], [k][col]
  const int64_t tiles = (args.cols + kTile - 1) / kTile;
  const int64_t row = blockIdx.x / tiles * kTile + threadIdx.y, col = blockIdx.x % tiles * kTile + threadIdx.x;

  float sum = 0;
  for (int64_t first = 0; first < args.depth; first += kTile) {
    const int64_t a_k = first + threadIdx.x, b_k = first + threadIdx.y;
    const bool in_a = row < args.rows && a_k < args.depth, in_b = col < args.cols && b_k < args.depth;
    a_tile[threadIdx.y][threadIdx.x] = in_a ? static_cast<float>(a[args.a_at(row, a_k)]) : 0;
    b_tile[threadIdx.y][threadIdx.x] = in_b ? static_cast<float>(b[args.b_at(b_k, col)]) : 0;
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
    __syncthreads();
  }
  args.store(c, row, col, sum);
}

std::optional<std::string> unsupported(const assay::Case& c) { return assay::device::too_many_tiles(c, kTile); }

void run(assay::Call& call) {
  const GemmArgs args = assay::device::gemm_args(call);
  if (args.rows == 0 || args.cols == 0) return;
  const int64_t blocks = assay::device::gemm_blocks(args.rows, args.cols, kTile, kTile);
  assay::device::by_gemm_dtypes(call, [&]<class T, class C>() {
    assay::launch(gemm<T, C>, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kTile, kTile)},
                  call.in<T>("a"), call.in<T>("b"), call.out<C>("c"), args);
  });
}

const assay::RegisterVariant kVariant({.op = "gemm",
                                       .name = "shared_tile",
                                       .summary = "tiles of 16 in shared memory, a thread per element of C",
                                       .unsupported = unsupported,
                                       .element_at = assay::device::gemm_element_at,
                                       .run = run});

}  // namespace
