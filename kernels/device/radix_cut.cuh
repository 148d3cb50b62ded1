// The cut of a row that is ordered by value, without ordering it: the key at which weights of larger keys and its own
// reach what is wanted, found by histograms of eight bits of the key at a time, and the mask that follows from it.
//
// Weights are integers (counts, or sums in fixed point), so that the order of the atomics that add them up changes
// nothing. Blocks are multiples of 32 threads, and all of a block's threads call what is here.
#pragma once

#include "kernels/device/block_scan.cuh"
#include "kernels/device/ordered_key.cuh"
#include "kernels/device/vector_load.cuh"

namespace assay::device {

constexpr int kDigitBits = 8;
constexpr unsigned kDigits = 1u << kDigitBits;

// Shared memory of the search.
template <class Weight>
struct CutScratch {
  Weight weights[kDigits];
  Weight above;
  unsigned digit;
  bool reached;
};

template <class Weight>
struct Cut {
  bool reached;   // false: all weights together are less than wanted
  unsigned key;   // larger keys are kept, smaller ones are not
  Weight wanted;  // what elements with this very key must still contribute; at least 1
};

// Adds `weight` to weights[digit] for every lane of a warp. The lanes that share the first one's digit, in a row of
// close values most of them, make one atomic operation together.
template <class Weight>
__device__ void add_by_warp(Weight* weights, unsigned digit, Weight weight) {
  const unsigned adding = __ballot_sync(kAllLanes, weight != 0);
  if (adding == 0) return;
  const int first = __ffs(static_cast<int>(adding)) - 1;
  const bool joins = digit == __shfl_sync(kAllLanes, digit, first);
  const Weight total = warp_reduce(joins ? weight : Weight{0}, Add());
  if (threadIdx.x % kWarp == static_cast<unsigned>(first)) atomicAdd(&weights[digit], total);
  if (!joins && weight != 0) atomicAdd(&weights[digit], weight);
}

// The largest digit whose weight, with those of all larger digits, reaches `wanted`. One warp calls it.
template <class Weight>
__device__ void find_digit(CutScratch<Weight>& scratch, Weight wanted) {
  constexpr unsigned kOwn = kDigits / kWarp;
  const unsigned lane = threadIdx.x % kWarp, largest = kDigits - 1 - lane * kOwn;
  Weight own = 0;
  for (unsigned i = 0; i < kOwn; ++i) own += scratch.weights[largest - i];
  Weight through = own;
  for (unsigned distance = 1; distance < kWarp; distance *= 2) {
    const Weight below = __shfl_up_sync(kAllLanes, through, distance);
    if (lane >= distance) through += below;
  }
  const bool here = through >= wanted && through - own < wanted;
  const unsigned somewhere = __ballot_sync(kAllLanes, here);
  if (lane == 0) scratch.reached = somewhere != 0;
  if (!here) return;
  Weight above = through - own;
  unsigned digit = largest;
  while (above + scratch.weights[digit] < wanted) above += scratch.weights[digit--];
  scratch.digit = digit;
  scratch.above = above;
}

// weight_of(value) is the weight of an element.
template <class T, class Weight, class WeightOf>
__device__ Cut<Weight> find_cut(const T* row, int64_t count, Weight wanted, WeightOf weight_of,
                                CutScratch<Weight>& scratch) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t lane = threadIdx.x % kWarp;
  const bool aligned = is_pack_aligned(row);
  unsigned long long found = 0;  // the digits so far; 64 bits, because a shift by all 32 of a key must give 0
  for (int shift = kKeyBits<T> - kDigitBits; shift >= 0; shift -= kDigitBits) {
    for (unsigned digit = threadIdx.x; digit < kDigits; digit += blockDim.x) scratch.weights[digit] = 0;
    __syncthreads();
    for (int64_t pack = threadIdx.x; pack - lane < pack_count<T>(count); pack += blockDim.x) {  // by whole warps
      const Pack<T> loaded = load_pack(row, pack * kWidth, count, aligned, 0.0f);
      for (int i = 0; i < kWidth; ++i) {
        const unsigned long long key = ordered_key(loaded.values[i]);
        const bool counts = pack * kWidth + i < count && key >> (shift + kDigitBits) == found;
        add_by_warp(scratch.weights, static_cast<unsigned>(key >> shift) % kDigits,
                    counts ? weight_of(loaded.values[i]) : Weight{0});
      }
    }
    __syncthreads();
    if (threadIdx.x < kWarp) find_digit(scratch, wanted);
    __syncthreads();
    if (!scratch.reached) return {false, 0, wanted};
    found = found << kDigitBits | scratch.digit;
    wanted -= scratch.above;
  }
  return {true, static_cast<unsigned>(found), wanted};
}

// Replaces by `masked` elements with a smaller key than `key`, and those with that key except the first `equals`.
// scratch: (blockDim.x / 32), shared.
template <class T>
__device__ void mask_below(T* row, int64_t count, unsigned key, unsigned equals, T masked, unsigned* scratch) {
  constexpr int kWidth = Pack<T>::kWidth;
  const bool aligned = is_pack_aligned(row);
  unsigned seen = 0;  // elements with that key before those that the block looks at
  for (int64_t first = 0; first < pack_count<T>(count); first += blockDim.x) {
    const int64_t start = (first + threadIdx.x) * kWidth;
    Pack<T> values = load_pack(row, start, count, aligned, 0.0f);
    unsigned own = 0;
    for (int i = 0; i < kWidth; ++i) own += start + i < count && ordered_key(values.values[i]) == key;
    const Scanned scanned = block_scan_by_warps(own, scratch);
    unsigned place = seen + scanned.before;
    for (int i = 0; i < kWidth; ++i) {
      const unsigned here = ordered_key(values.values[i]);
      const bool kept = here > key || (here == key && place++ < equals);
      if (!kept) values.values[i] = masked;
    }
    store_pack(row, start, count, aligned, values);
    seen += scanned.total;
  }
}

}  // namespace assay::device
