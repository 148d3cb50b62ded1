// The checked device's memory as it is at one time, and what of it a launch has accessed and written since.
#pragma once

#include <vector>

#include "harness/program/saved_launch.h"
#include "harness/simt/checked/arena.h"
#include "harness/simt/checked/footprint.h"

namespace assay::program {

class MemorySnapshot {
 public:
  // Copies what has a value in the arena, which must outlive this.
  explicit MemorySnapshot(const simt::checked::Arena& arena);

  // Every buffer, with the contents of what the launch accessed: before it from the copy, after it from the arena.
  std::vector<SavedMemory> accessed_by(const simt::Footprint& footprint) const;

 private:
  struct Copied {
    uint64_t address = 0;
    std::string bytes;
  };
  struct Buffer {
    std::string name;
    uint64_t address = 0, bytes = 0;
    std::vector<Copied> copied = {};  // by ascending address
  };
  std::vector<Buffer> buffers_;
};

}  // namespace assay::program
