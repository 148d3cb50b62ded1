// Asynchronous copies by a cooperative group: each thread begins its part, and wait() is for all of them.
#pragma once

#include "harness/simt/include/cooperative_groups.h"
#include "harness/simt/include/simt/cuda_barrier.h"

namespace cooperative_groups {

// A number of bytes.
template <class Group, class To, class From, class Size>
ASSAY_SIMT_INLINE void memcpy_async(const Group& group, To* to, const From* from, const Size& bytes) {
  ::assay::simt::begin_copy_of_group(to, from, static_cast<size_t>(bytes), static_cast<unsigned>(group.thread_rank()),
                                     static_cast<unsigned>(group.size()));
  ::assay::simt::cp_async_commit_group();
}
// The smaller number of elements.
template <class Group, class T, class ToCount, class FromCount>
ASSAY_SIMT_INLINE void memcpy_async(const Group& group, T* to, const ToCount& to_count, const T* from,
                                    const FromCount& from_count) {
  const auto room = static_cast<size_t>(to_count), there = static_cast<size_t>(from_count);
  memcpy_async(group, to, from, (room < there ? room : there) * sizeof(T));
}

// All but the `left` copies that the group has begun last are complete.
template <unsigned left, class Group>
ASSAY_SIMT_INLINE void wait_prior(const Group& group) {
  ::assay::simt::cp_async_wait_group<static_cast<int>(left)>();
  group.sync();
}
template <class Group>
ASSAY_SIMT_INLINE void wait(const Group& group) {
  wait_prior<0>(group);
}

}  // namespace cooperative_groups
