// A block per row finds the key of the last token to keep bit by bit: the variant to read first.
//
// Keys hold the index as well, so that no two are equal. The wanted key is the largest one whose tokens, those with
// keys from it on, sum to p. More tokens never sum to less, also in f32, because every sum is formed in the same order
// with zeros for the tokens left out. The row is read once for every bit of a key.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/ordered_key.cuh"

namespace {

using namespace assay::device;

// At least one token is kept also for p = 0: the smallest positive sum needs one.
constexpr float kSmallest = 0x1p-149f;

template <class T>
__global__ void top_p_mask(T* probs, int64_t vocab, float p) {  // probs: (gridDim.x, vocab)
  __shared__ float scratch[128];
  T* row = probs + blockIdx.x * vocab;
  const int low_bits = index_bits(vocab);
  const float wanted = fmaxf(p, kSmallest);

  uint64_t smallest_kept = 0;
  for (int bit = kKeyBits<T> + low_bits - 1; bit >= 0; --bit) {
    const uint64_t candidate = smallest_kept | uint64_t{1} << bit;
    float sum = 0;
    for (int64_t v = threadIdx.x; v < vocab; v += blockDim.x)
      if (distinct_key(row[v], v, vocab, low_bits) >= candidate) sum += static_cast<float>(row[v]);
    if (block_reduce(sum, scratch, Add()) >= wanted) smallest_kept = candidate;
  }
  for (int64_t v = threadIdx.x; v < vocab; v += blockDim.x)
    if (distinct_key(row[v], v, vocab, low_bits) < smallest_kept) row[v] = static_cast<T>(0.0f);
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), vocab = call.dim("V");
  const float p = call.real("p");
  if (rows == 0 || vocab == 0 || p >= 1) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(top_p_mask<T>, block_for_each(call, rows), call.out<T>("probs"), vocab, p);
  });
}

const assay::RegisterVariant kVariant({.op = "top_p_mask",
                                       .name = "bisection",
                                       .summary = "a block per row, the last key to keep bit by bit",
                                       .blocks = {32, 33, 64, 96, 100, 128},
                                       .unsupported = too_many_blocks("a block per row", {"rows"}),
                                       .run = run});

}  // namespace
