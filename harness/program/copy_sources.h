// Memory of the host from which copies under way may still read, and whether the host has changed it meanwhile.
//
// Nobody sees the host's stores, but what a copy has read can be compared with what is there when the host first knows
// it to be done. What the device has changed itself is no mistake, and is let go.
#pragma once

#include <deque>
#include <vector>

#include "harness/program/memory_past.h"

namespace assay::program {

class CopySources {
 public:
  struct Source {
    Piece piece;  // the copy
    uintptr_t begin;
    size_t bytes;
    uint64_t hash;
  };
  void add(const Piece& piece, const void* begin, size_t bytes);
  // Those of copies that the host knows to be done, and that have changed since. They are let go, and so are the others
  // of such copies.
  std::vector<Source> changed(const Clock& host);
  // The device writes there.
  void let_go(uintptr_t begin, uintptr_t end);
  void let_all_go() { sources_.clear(); }
  bool is_empty() const { return sources_.empty(); }

 private:
  std::deque<Source> sources_;
};

}  // namespace assay::program
