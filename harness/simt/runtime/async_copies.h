// The asynchronous copies of a block that are under way: for each thread a queue of copies, cut into groups.
//
// A copy is made when its thread waits for it and no earlier, so that a missing wait shows. Copies that a block has not
// waited for are dropped at its end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/simt/runtime/executor.h"

namespace assay::simt {

struct AsyncCopy {
  void* to;
  const void* from;
  size_t bytes, source_bytes;
  const void* pc;  // where the kernel goes on after it
};

class AsyncCopies {
 public:
  void begin_block() {
    for (Thread* const thread : used_) {
      thread->copies.clear();
      thread->groups.clear();
      thread->used = false;
    }
    used_.clear();
  }
  void add(uint32_t thread, const AsyncCopy& copy) { use(thread).copies.push_back(copy); }
  void commit(uint32_t thread) {
    Thread& t = use(thread);
    t.groups.push_back(t.copies.size());
  }

  // Takes away the thread's groups except the `left` youngest, and gives each copy to `land`, the oldest first.
  template <class Land>
  void wait(uint32_t thread, size_t left, Land land) {
    Thread& t = threads_[thread];
    if (t.groups.size() <= left) return;
    const size_t landed = t.groups[t.groups.size() - left - 1];
    for (size_t i = 0; i < landed; ++i) land(t.copies[i]);
    t.copies.erase(t.copies.begin(), t.copies.begin() + static_cast<ptrdiff_t>(landed));
    t.groups.erase(t.groups.begin(), t.groups.end() - static_cast<ptrdiff_t>(left));
    for (size_t& end : t.groups) end -= landed;
  }

 private:
  struct Thread {
    std::vector<AsyncCopy> copies;
    std::vector<size_t> groups;  // where each ends among the copies
    bool used = false;           // in this block
  };
  Thread& use(uint32_t thread) {
    Thread& t = threads_[thread];
    if (!t.used) used_.push_back(&t);
    t.used = true;
    return t;
  }

  std::array<Thread, kThreadsMax> threads_;
  std::vector<Thread*> used_;
};

}  // namespace assay::simt
