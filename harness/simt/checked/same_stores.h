// Stores of several lanes of a warp by one instruction, to the same bytes.
//
// CUDA defines them: one of the stores stays, and which one it is does not matter where all have the same value. So
// they are compared, not reported at once. Lanes run one after another here, so "one instruction" is one address in the
// code, reached by lanes of one warp that nothing has ordered since: a loop's rounds are not told apart, which is right
// as long as the values agree. A hook comes before its store, so a value is known at the next event only. What CUDA
// defines is stores to one address: where they only overlap, it defines nothing, whatever the values.
//
// As floats, all NaNs are one value, and so are 0 and -0. Hooks know no types: a buffer says whether it holds floats;
// shared memory may hold what the floats among the launch's buffers are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/simt/checked/listener.h"

namespace assay::simt::checked {

class SameStores {
 public:
  // A store that has changed what another lane had stored.
  struct Difference {
    Now now;
    uint32_t earlier_thread;
    std::string before, after;  // the values; empty where they have no usual size
    bool in_bits_only;          // they are equal numbers
    bool overlaps = false;      // the stores have but a part of their bytes in common
  };

  static bool are_one_instruction(const Now& now, const Past& write);
  void expect(const Now& now, const Past& write);                                       // the store is about to be made
  std::vector<Difference> settle(const std::function<Numbers(uintptr_t)>& numbers_at);  // all of them have been made
  // Whether the lane is one of those that stored what is there now.
  bool has_stored(const Now& now, const Past& write) const;
  void forget() { stored_.clear(); }  // at a barrier, or when a block begins

 private:
  struct Expected {
    Now now;
    Past write;
    uint64_t pair;   // what the cell held, beside the other one of its 8 bytes
    uint64_t value;  // what the bytes of the access held, where they are 8 at most
  };
  struct Stored {
    const void* pc = nullptr;
    uint32_t warp = 0, lanes = 0;
  };
  static bool overlaps(const Expected& e, const std::vector<Expected>& all);
  static uintptr_t key(const Now& now) { return now.cell | ((now.mask & 3) == 0 ? 2 : 0); }

  std::vector<Expected> expected_;
  std::unordered_map<uintptr_t, Stored> stored_;  // by address: of a cell, or of its second half alone
};

}  // namespace assay::simt::checked
