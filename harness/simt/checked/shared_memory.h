// The shared memory of a kernel module as the checks see it: where its arrays lie, and their shadow.
//
// The build gathers the arrays of a module and its buffer of dynamic shared memory in one section, leaves a gap after
// each array, and lists them (include/simt/module.h). A kernel reaches its own module's shared memory only, so the
// hooks compare an address with the range of the launched kernel's module, and find its shadow by a subtraction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/simt/checked/hook_state.h"
#include "harness/simt/include/simt/module.h"

namespace assay::simt::checked {

struct SharedArray {
  uintptr_t address;
  size_t bytes;
  std::string name;
};

class SharedMemory {
 public:
  static SharedMemory& of(const Module& module);  // made when a module's first kernel is launched, and kept

  // Prepares for a launch with that much dynamic shared memory.
  void enter(HookState& state, size_t dynamic_bytes);

  bool holds(uintptr_t address) const { return address - base_ < bytes_; }
  bool addressable(uintptr_t address, size_t bytes) const;  // whether all of the bytes belong to one array
  // Whether a compiler's mark lies there ("has the array been constructed"): no shared memory.
  bool foreign(uintptr_t address) const { return cell(address).write == kForeign; }
  const SharedArray* nearest(uintptr_t address) const;  // the array that holds the address or the last one before it
  Cell& cell(uintptr_t address) const { return cells_[(address - base_) / 4]; }
  // Forgets the records of all modules. Bytes written since `block` still count as written; nothing else is kept.
  void forget_records(uint64_t block);

  static uint64_t last_tick;  // of all launches that have left records

 private:
  explicit SharedMemory(const Module& module);
  void open(uintptr_t begin, uintptr_t end);   // these bytes belong to an array now
  void close(uintptr_t begin, uintptr_t end);  // and these to none
  void forget(uint64_t block);

  uintptr_t base_ = 0;
  size_t bytes_ = 0;
  Cell* cells_ = nullptr;
  std::vector<SharedArray> arrays_;  // by ascending address; dynamic shared memory is one of them
  uintptr_t dynamic_ = 0;
  size_t dynamic_bytes_ = 0;
};

// The __constant__ variables of every module that a kernel has been launched from: one may be given another's by
// address.
void note_constants(const Module& module);
bool is_constant(uintptr_t address);

}  // namespace assay::simt::checked
