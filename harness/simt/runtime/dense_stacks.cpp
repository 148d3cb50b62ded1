// Layout of the dense stacks. Between two of them lies one line of 64 bytes: first the label of the lower one, at its
// top, then the canary of the upper one.
#include "harness/simt/runtime/dense_stacks.h"

#include <sys/mman.h>

#include <algorithm>

#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/executor.h"

namespace assay::simt {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kLabelBytes = 16;
constexpr size_t kCanaryWords = (kLine - kLabelBytes) / sizeof(uint64_t);
constexpr uint64_t kCanary = 0xb1ad'd1ed'f00d'5eed;

// An odd number of lines: the tops of 64 stacks then fall into all 64 sets of a 32 KB cache.
constexpr size_t stride_for(size_t bytes) { return (((bytes + kLine - 1) / kLine + 1) | 1) * kLine; }

constexpr size_t kGapBytes = 4096;
// The region has room for the threads of the largest block.
constexpr size_t kAreaBytes = (kThreadsMax * stride_for(DenseStacks::kBytesMax) + kLine + 4095) & ~size_t{4095};

}  // namespace

DenseStacks::~DenseStacks() {
  if (base_ != nullptr) munmap(base_ - kGapBytes, kAreaBytes + 2 * kGapBytes);
}

void DenseStacks::reserve() {
  void* const memory = mmap(nullptr, kAreaBytes + 2 * kGapBytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  SIMT_CHECK(memory != MAP_FAILED, "no address space for the stacks of a block: 3 MiB");
  base_ = static_cast<char*>(memory) + kGapBytes;
  SIMT_CHECK(mprotect(base_, kAreaBytes, PROT_READ | PROT_WRITE) == 0, "no memory for the stacks of a block");
}

void DenseStacks::provide(int count, size_t bytes) {
  SIMT_CHECK(count <= static_cast<int>(kThreadsMax) && bytes <= kBytesMax, "the stacks fit into the area");
  if (base_ == nullptr) reserve();
  stride_ = stride_for(bytes);
  count_ = count;
  for (int index = 0; index < count; ++index) std::fill_n(canary(index), kCanaryWords, kCanary);
}

char* DenseStacks::top(int index) const { return base_ + stride_ * static_cast<size_t>(index + 1); }

uint64_t* DenseStacks::canary(int index) const {
  return reinterpret_cast<uint64_t*>(base_ + stride_ * static_cast<size_t>(index) + kLabelBytes);
}

int DenseStacks::holding(const void* address) const {
  const char* const byte = static_cast<const char*>(address);
  if (base_ == nullptr || byte <= base_ || byte > base_ + stride_ * kThreadsMax) return -1;
  return static_cast<int>(static_cast<size_t>(byte - base_ - 1) / stride_);  // a stack includes its top
}

bool DenseStacks::intact() const {
  for (int index = 0; index < count_; ++index)
    for (size_t word = 0; word < kCanaryWords; ++word)
      if (canary(index)[word] != kCanary) return false;
  return true;
}

}  // namespace assay::simt
