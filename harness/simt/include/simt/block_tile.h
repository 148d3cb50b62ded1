// Tiles of 64 to 512 threads of a block. Part of cooperative_groups.h.
//
// Each has a barrier of its own (runtime/named_barriers.cpp); values go from warp to warp through shared memory, of
// which a GPU keeps some for this, so that block_tile_memory need hold nothing.
#pragma once

#include "harness/simt/include/simt/named_barriers.h"
#include "harness/simt/include/simt/warp_tile.h"

namespace cooperative_groups {

template <unsigned max_block_size = 1024>
struct block_tile_memory {};
template <unsigned max_block_size>
ASSAY_SIMT_INLINE thread_block this_thread_block(block_tile_memory<max_block_size>&) {
  return {};
}

template <unsigned N, class Parent>
requires(N > 32) class thread_block_tile<N, Parent> {
  static_assert(N <= 512 && (N & (N - 1)) == 0, "a tile has a power of two of threads, 512 at most");

 public:
  ASSAY_SIMT_INLINE thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : meta_rank_(meta_rank), meta_size_(meta_size) {}
  template <class OtherParent>
  ASSAY_SIMT_INLINE thread_block_tile(const thread_block_tile<N, OtherParent>& other)
      : thread_block_tile(other.meta_group_rank(), other.meta_group_size()) {}

  ASSAY_SIMT_INLINE void sync() const {
    const unsigned first = thread_block::thread_rank() & ~(N - 1), rest = thread_block::num_threads() - first;
    ::assay::simt::tile_barrier(N, first / N, rest < N ? (rest + 31) / 32 * 32 : N);
  }
  ASSAY_SIMT_INLINE static unsigned thread_rank() { return thread_block::thread_rank() & (N - 1); }
  static constexpr unsigned num_threads() { return N; }
  static constexpr unsigned size() { return N; }
  ASSAY_SIMT_INLINE unsigned meta_group_rank() const { return meta_rank_; }
  ASSAY_SIMT_INLINE unsigned meta_group_size() const { return meta_size_; }

  // All threads name the same rank.
  template <class T>
  ASSAY_SIMT_INLINE T shfl(T value, unsigned rank) const {
    T* const slot = warp_values<T>();
    if (thread_rank() == rank) *slot = value;
    sync();
    const T result = *slot;
    sync();
    return result;
  }
  ASSAY_SIMT_INLINE int any(int predicate) const {
    return combined(__any_sync(~0u, predicate), [](int a, int b) { return a | b; });
  }
  ASSAY_SIMT_INLINE int all(int predicate) const {
    return combined(__all_sync(~0u, predicate), [](int a, int b) { return a & b; });
  }

  // The values of the tile's warps, one of each, combined in their order: of those before the caller's, and of all.
  // `before` stays as it is in the first warp.
  template <class T, class Combine>
  ASSAY_SIMT_INLINE T combined(T of_warp, Combine combine, T* before = nullptr) const {
    T* const values = warp_values<T>();
    const unsigned warp = thread_rank() / 32;
    if (::assay::simt::lane_id() == 0) values[warp] = of_warp;
    sync();
    T all = values[0];
    for (unsigned each = 1; each < N / 32; ++each) {
      if (each == warp && before != nullptr) *before = all;
      all = combine(all, values[each]);
    }
    sync();
    return all;
  }

 private:
  // Shared memory for a value of each of the tile's warps.
  template <class T>
  ASSAY_SIMT_INLINE static T* warp_values() {
    static_assert(sizeof(T) <= 32, "a tile exchanges at most 32 bytes of each thread");
    static __shared__ __attribute__((aligned(16))) unsigned char memory[32 * sizeof(T)];
    return reinterpret_cast<T*>(memory) + (thread_block::thread_rank() & ~(N - 1)) / 32;
  }

  unsigned meta_rank_, meta_size_;
};

}  // namespace cooperative_groups
