// The stacks of one OS thread's fibers: reserved once, committed by the kernel page by page, kept between launches.
//
// Each stack has a guard page below it, and its top is shifted by a multiple of 64 bytes ("coloured"): equal frames of
// 256 threads would otherwise fall into the same few cache sets. Below the top lies the label of the thread that runs
// on it, which a signal handler finds from nothing but the stack pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "harness/device/cpu/include/simt/vector_types.h"

namespace assay::simt {

class Stacks {
 public:
  // Room for a thread's frames. The sound kernels of the self-test use 16 KB of local arrays; CUDA allows 512 KB, but
  // its compilers put large arrays there only, not every frame.
  static constexpr size_t kBytes = 256 * 1024;
  static constexpr size_t kGuardBytes = 4096;
  static constexpr int kCount = 1025;  // one for each thread of a block and one to pass over records on

  ~Stacks();

  // The top of a stack that was never used, aligned to 16 bytes. At the top lies a word for the list of free stacks,
  // and after it the label. Nobody gives stacks back one by one: the assembly of thread start keeps that list.
  char* fresh();
  char* top(int index);
  char* all();  // after a launch was abandoned: the list of all stacks that were ever used
  uint3& label(int index) { return *reinterpret_cast<uint3*>(top(index) + sizeof(char*)); }
  int holding(const void* address);  // the stack whose bytes or guard page hold the address, or -1
  bool is_guard(const void* address);
  std::pair<const char*, size_t> range() const { return {base_, kStride * kCount}; }  // of all stacks

 private:
  static constexpr size_t kStride = kBytes + kGuardBytes;
  void reserve();

  char* base_ = nullptr;
  int fresh_ = 0;  // stacks from here on were never used and have no guard page yet
};

}  // namespace assay::simt
