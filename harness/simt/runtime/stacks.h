// The stacks of the fibers: reserved once, committed by the kernel page by page, kept between launches.
//
// Each stack has a guard page below it, and its top is shifted by a multiple of 64 bytes ("coloured"): equal frames of
// 256 threads would otherwise fall into the same few cache sets. Below the top lies the label of the thread that runs
// on it, which a signal handler finds from nothing but the stack pointer. Kernels that are proven to need little get
// dense stacks instead (dense_stacks.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "harness/simt/include/simt/vector_types.h"
#include "harness/simt/runtime/dense_stacks.h"

namespace assay::simt {

class Stacks {
 public:
  // Room for a thread's frames. The sound kernels of the self-test use 16 KB of local arrays; CUDA allows 512 KB, but
  // its compilers put large arrays there only, not every frame.
  static constexpr size_t kBytes = 256 * 1024;
  static constexpr size_t kGuardBytes = 4096;
  static constexpr int kCount = 1024;  // one for each thread of a block

  ~Stacks();

  bool reserve();  // the address space of all stacks; false: there is none. provide() does it where it was not done

  // Makes the first `count` stacks ready: dense ones if `need`, the bytes that a thread needs at most, is known (not 0)
  // and small.
  void provide(int count, size_t need);
  bool intact() const { return !dense_ || dense_stacks_.intact(); }  // nobody wrote below a dense stack
  // The address where stack `index` begins, aligned to 64 bytes; the label of the thread that runs on it lies at the
  // top.
  char* top(int index) const;
  void clear();  // after a launch was abandoned
  const uint3& label(int index) const { return *reinterpret_cast<const uint3*>(top(index)); }
  int holding(const void* address) const;  // the stack whose bytes or guard page hold the address, or -1
  bool is_guard(const void* address) const;
  std::pair<const char*, size_t> range() const { return {base_, kStride * kCount}; }  // of all stacks

 private:
  static constexpr size_t kStride = kBytes + kGuardBytes;

  bool dense_ = false;
  DenseStacks dense_stacks_;
  char* base_ = nullptr;
  int ready_ = 0;  // stacks from here on were never used and have no guard page yet
};

}  // namespace assay::simt
