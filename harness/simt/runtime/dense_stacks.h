// Stacks that lie close together, for kernels whose threads are proven to need little (build/finish/stack_needs.h).
//
// The processor's first table of pages bounds a barrier's speed: stacks with pages of their own are more than it holds.
// Here several share a page. No guard page separates them, so a line of known bytes lies below each, and a launch that
// changes one is a finding.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::simt {

class DenseStacks {
 public:
  // Beyond this, too few stacks share a page to gain anything.
  static constexpr size_t kBytesMax = 2048;

  ~DenseStacks();

  // Makes the first `count` stacks ready, with room for `bytes` each, from 1 to kBytesMax.
  void provide(int count, size_t bytes);
  char* top(int index) const;              // as Stacks::top()
  int holding(const void* address) const;  // the stack whose bytes hold the address, or -1
  bool intact() const;                     // no known byte was changed since provide()

 private:
  void reserve();
  uint64_t* canary(int index) const;  // kCanaryWords of them

  char* base_ = nullptr;
  size_t stride_ = 0;
  int count_ = 0;
};

}  // namespace assay::simt
