// A block per row finds the key of the k-th largest element bit by bit: the variant to read first.
//
// Keys hold the index as well, so that no two are equal and ties need no thought. Nothing is sorted and there is no
// memory besides, but the row is read once for every bit of a key.
#include "kernels/device/grid.cuh"
#include "kernels/device/ordered_key.cuh"

namespace {

using namespace assay::device;

template <class T>
__global__ void top_k_mask(T* logits, int64_t vocab, int64_t k) {  // logits: (gridDim.x, vocab)
  __shared__ unsigned reached;
  T* row = logits + blockIdx.x * vocab;
  const int low_bits = index_bits(vocab);

  uint64_t smallest_kept = 0;
  for (int bit = kKeyBits<T> + low_bits - 1; bit >= 0; --bit) {
    const uint64_t candidate = smallest_kept | uint64_t{1} << bit;
    if (threadIdx.x == 0) reached = 0;
    __syncthreads();
    unsigned mine = 0;
    for (int64_t v = threadIdx.x; v < vocab; v += blockDim.x)
      mine += distinct_key(row[v], v, vocab, low_bits) >= candidate;
    atomicAdd(&reached, mine);
    __syncthreads();
    if (reached >= k) smallest_kept = candidate;
    __syncthreads();
  }
  for (int64_t v = threadIdx.x; v < vocab; v += blockDim.x)
    if (distinct_key(row[v], v, vocab, low_bits) < smallest_kept) row[v] = static_cast<T>(-INFINITY);
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), vocab = call.dim("V"), k = call.dim("k");
  if (rows == 0 || k >= vocab) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(top_k_mask<T>, block_for_each(call, rows), call.out<T>("logits"), vocab, k);
  });
}

const assay::RegisterVariant kVariant({.op = "top_k_mask",
                                       .name = "bisection",
                                       .summary = "a block per row, the k-th largest key bit by bit",
                                       .blocks = {32, 33, 64, 96, 100, 128},
                                       .unsupported = too_many_blocks("a block per row", {"rows"}),
                                       .run = run});

}  // namespace
