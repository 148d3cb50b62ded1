// Reservation, colouring and reuse of fiber stacks.
#include "harness/simt/runtime/stacks.h"

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

#include "harness/simt/runtime/build_kind.h"
#include "harness/simt/runtime/check.h"

namespace assay::simt {

Stacks::~Stacks() {
  if (base_ != nullptr) munmap(base_, kStride * kCount);
}

bool Stacks::reserve() {
  if (base_ != nullptr) return true;
  void* const memory = mmap(nullptr, kStride * kCount, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory != MAP_FAILED) base_ = static_cast<char*>(memory);
  return base_ != nullptr;
}

void Stacks::provide(int count, size_t need) {
  SIMT_CHECK(count <= kCount, "a block has no more threads than there are stacks");
  dense_ = need != 0 && need <= DenseStacks::kBytesMax;
  if (dense_) return dense_stacks_.provide(count, need);
  SIMT_CHECK(reserve(), "no address space for the stacks of a block: 260 MiB");
  // Every guard page splits a mapping, and Linux allows 65530 of them. Without one a stack still works, so its failure
  // is no error.
  for (; ready_ < count; ++ready_)
    static_cast<void>(mprotect(base_ + kStride * static_cast<size_t>(ready_), kGuardBytes, PROT_NONE));
}

void Stacks::clear() {
  // Abandoned frames never took their red zones away; the next thread on the stack would trip over them.
  if constexpr (kAddressSanitizer)
    for (int index = 0; index < ready_; ++index)
      __asan_unpoison_memory_region(base_ + kStride * static_cast<size_t>(index) + kGuardBytes, kBytes);
}

char* Stacks::top(int index) const {
  if (dense_) return dense_stacks_.top(index);
  constexpr size_t kLabelBytes = 64;
  const size_t colour = static_cast<size_t>(index % 64) * 64;  // every set of a 32 KB cache
  return base_ + kStride * static_cast<size_t>(index + 1) - kLabelBytes - colour;
}

int Stacks::holding(const void* address) const {
  if (dense_) return dense_stacks_.holding(address);
  const char* const byte = static_cast<const char*>(address);
  if (base_ == nullptr || byte < base_ || byte >= base_ + kStride * kCount) return -1;
  return static_cast<int>(static_cast<size_t>(byte - base_) / kStride);
}

bool Stacks::is_guard(const void* address) const {
  return !dense_ && holding(address) >= 0 &&
         static_cast<size_t>(static_cast<const char*>(address) - base_) % kStride < kGuardBytes;
}

}  // namespace assay::simt
