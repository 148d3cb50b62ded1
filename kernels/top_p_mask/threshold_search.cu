// A block per row finds the smallest value to keep by its digits: a histogram of sums per eight bits of the key.
//
// Against bisection: two passes for 16-bit elements and four for f32 instead of one per bit, with 16-byte accesses.
// Sums are in fixed point, so that atomics in any order give the same bits. A row of V tokens leaves each 61 bits less
// those of an index for values up to the power of two above p: 43 for V = 2^18, and more than f32 has up to V = 2^31.
// Larger values count as that power of two, which reaches p as well.
#include <cmath>

#include "kernels/device/grid.cuh"
#include "kernels/device/radix_cut.cuh"

namespace {

using namespace assay::device;

using Fixed = unsigned long long;

constexpr int kSumBits = 62;             // no sum is larger than 2^62
constexpr int kSmallestExponent = -149;  // of a positive f32

// Values in fixed point.
struct ToFixed {
  float largest;  // values above it count as it
  int exponent;   // a value of 1 is 2^exponent

  template <class T>
  __device__ Fixed operator()(T value) const {
    return __float2ull_rn(ldexpf(fminf(static_cast<float>(value), largest), exponent));
  }
};

template <class T>
__global__ void top_p_mask(T* probs, int64_t vocab, Fixed wanted, ToFixed to_fixed) {  // probs: (gridDim.x, vocab)
  __shared__ CutScratch<Fixed> scratch;
  __shared__ unsigned by_warp[kWarp];
  T* row = probs + blockIdx.x * vocab;
  const Cut<Fixed> cut = find_cut(row, vocab, wanted, to_fixed, scratch);
  if (!cut.reached) return;
  const Fixed each = to_fixed(number_of_key<T>(cut.key));  // not 0, because its key reaches what is wanted
  const auto equals = static_cast<unsigned>((cut.wanted + each - 1) / each);
  mask_below(row, vocab, cut.key, equals, static_cast<T>(0.0f), by_warp);
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), vocab = call.dim("V");
  const float p = call.real("p");
  if (rows == 0 || vocab == 0 || p >= 1) return;
  // For p = 0 whatever is not 0 reaches it, so that one token is kept.
  const int unit = p > 0 ? std::ilogb(p) : kSmallestExponent;  // p is 2^unit to 2^(unit + 1)
  const ToFixed to_fixed{std::ldexp(2.0f, unit), kSumBits - 1 - index_bits(vocab) - unit};
  const Fixed wanted = p > 0 ? static_cast<Fixed>(std::ldexp(static_cast<double>(p), to_fixed.exponent)) : 1;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(top_p_mask<T>, block_for_each(call, rows), call.out<T>("probs"), vocab, wanted, to_fixed);
  });
}

const assay::RegisterVariant kVariant({.op = "top_p_mask",
                                       .name = "threshold_search",
                                       .summary = "a block per row, the smallest kept value by histograms of sums",
                                       .blocks = {32, 64, 96, 128, 160, 256, 512, 1024},
                                       .unsupported = too_many_blocks("a block per row", {"rows"}),
                                       .run = run});

}  // namespace
