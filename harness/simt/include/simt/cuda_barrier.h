// cuda::barrier of libcu++ as PTX's mbarrier, and cuda::memcpy_async.
//
// Limits: barriers have no completion function. A copy that a barrier counts lands before the copying thread goes on
// (ptx/barriers.h), and one that cp.async cannot make is a plain copy, as libcu++ has it.
#pragma once

#include <cstddef>
#include <type_traits>

#include "harness/simt/include/ptx/barriers.h"

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

// A number of bytes that addresses and itself are multiples of `alignment` of.
template <size_t alignment>
struct aligned_size_t {
  static constexpr size_t align = alignment;
  size_t value;
  explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  constexpr operator size_t() const { return value; }
};

template <thread_scope scope>
class barrier {
 public:
  using arrival_token = uint64_t;

  barrier() = default;  // to be initialised by init()
  ASSAY_SIMT_INLINE explicit barrier(ptrdiff_t expected) { init(this, expected); }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  friend ASSAY_SIMT_INLINE void init(barrier* to, ptrdiff_t expected) {
    ::assay::ptx::mbarrier_init(to->address(), static_cast<uint32_t>(expected));
  }
  [[nodiscard]] ASSAY_SIMT_INLINE arrival_token arrive(ptrdiff_t count = 1) {
    return ::assay::ptx::mbarrier_update(address(), static_cast<uint32_t>(count), 0, 0);
  }
  ASSAY_SIMT_INLINE void wait(arrival_token&& token) const { wait_parity(::assay::ptx::mbarrier_parity(token) != 0); }
  ASSAY_SIMT_INLINE void wait_parity(bool parity) const {
    while (!try_wait_parity(parity)) {
    }
    __threadfence_block();
  }
  ASSAY_SIMT_INLINE bool try_wait_parity(bool parity) const {
    return ::assay::ptx::mbarrier_try_wait(address(), parity ? 1 : 0);
  }
  ASSAY_SIMT_INLINE void arrive_and_wait() { wait(arrive()); }
  ASSAY_SIMT_INLINE void arrive_and_drop() { ::assay::ptx::mbarrier_update(address(), 1, 1, 0); }
  static constexpr ptrdiff_t max() { return (1 << 20) - 1; }

  // Where the mbarrier is.
  ASSAY_SIMT_INLINE uint64_t address() const { return reinterpret_cast<uint64_t>(&state_); }

 private:
  alignas(8) mutable uint64_t state_;
};

}  // namespace cuda

namespace assay::simt {

// Begins a thread's part of a copy by `threads` threads: pieces of 16, 8 or 4 bytes by cp.async, where both addresses
// and the size allow it and the copy is to shared memory, else a plain copy of bytes.
ASSAY_SIMT_INLINE void begin_copy_of_group(void* to, const void* from, size_t bytes, unsigned rank, unsigned threads) {
  auto* const destination = static_cast<char*>(to);
  const auto* const source = static_cast<const char*>(from);
  const auto together = reinterpret_cast<uint64_t>(to) | reinterpret_cast<uint64_t>(from) | bytes;
  const size_t piece = together % 16 == 0 ? 16 : together % 8 == 0 ? 8 : together % 4 == 0 ? 4 : 1;
  if (piece == 1 || !__isShared(to) || __isShared(from)) {
    for (size_t i = rank; i < bytes; i += threads) destination[i] = source[i];
    return;
  }
  for (size_t i = rank * piece; i < bytes; i += threads * piece)
    begin_async_copy(destination + i, source + i, piece, piece);
}

}  // namespace assay::simt

namespace cuda {

template <class Size, thread_scope scope>
ASSAY_SIMT_INLINE void memcpy_async(void* to, const void* from, Size bytes, barrier<scope>& counted_by) {
  ::assay::simt::begin_copy_of_group(to, from, static_cast<size_t>(bytes), 0, 1);
  ::assay::ptx::cp_async_mbarrier_arrive(counted_by.address(), false);
}
template <class Group, class Size, thread_scope scope>
ASSAY_SIMT_INLINE void memcpy_async(const Group& group, void* to, const void* from, Size bytes,
                                    barrier<scope>& counted_by) {
  ::assay::simt::begin_copy_of_group(to, from, static_cast<size_t>(bytes), static_cast<unsigned>(group.thread_rank()),
                                     static_cast<unsigned>(group.size()));
  ::assay::ptx::cp_async_mbarrier_arrive(counted_by.address(), false);
}

}  // namespace cuda
