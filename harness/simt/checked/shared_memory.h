// The shared memory of one OS thread as the checks see it: where its arrays lie, and their shadow.
//
// Shared memory is thread-local memory, all of it below the thread pointer at offsets that the dynamic linker fixed at
// start-up. The shadow covers that whole range, so it is found by a subtraction. Which bytes are arrays is read once
// from the symbol tables of the checked modules; the build leaves a gap after each array (pad_shared.cmake).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/simt/checked/hook_state.h"

namespace assay::simt::checked {

struct SharedArray {
  uintptr_t address;
  size_t bytes;
  std::string name;
};

class SharedMemory {
 public:
  static SharedMemory& of_this_os_thread();

  // Prepares for a launch with that much dynamic shared memory.
  void enter(HookState& state, size_t dynamic_bytes);

  // Whether all of the bytes belong to arrays; they are shared memory at all (`foreign`: some other thread-local).
  bool holds(uintptr_t address) const { return address - base_ < bytes_; }
  bool addressable(uintptr_t address, size_t bytes) const;
  bool foreign(uintptr_t address) const { return cell(address).write == kForeign; }
  const SharedArray* nearest(uintptr_t address) const;  // the array that holds the address or the last one before it
  Cell& cell(uintptr_t address) const { return cells_[(address - base_) / 4]; }
  void forget_records(uint64_t block);  // bytes written since `block` count as written, nothing else is kept

  uint64_t last_tick = 1;  // of all launches that have left records here

 private:
  SharedMemory();
  void add_module(const char* path, uintptr_t thread_locals, size_t bytes);
  void set_addressable(uintptr_t address, size_t bytes, bool value);
  void mark(uintptr_t address, size_t bytes);

  uintptr_t base_ = 0;
  size_t bytes_ = 0;
  Cell* cells_ = nullptr;
  std::vector<bool> addressable_;
  std::vector<SharedArray> arrays_;  // by ascending address; dynamic shared memory is one of them
  size_t dynamic_bytes_ = 0;
  uint64_t libraries_ = 0;  // how many the dynamic linker had added when the arrays were read
};

}  // namespace assay::simt::checked
