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

  // The footprint of a launch that ended before its time, with all bytes of the buffers that hold these addresses as
  // read: what the rest of it would have accessed nobody knows. Buffers of more than `bytes_max` stay as they are.
  simt::Footprint with_whole_buffers(const simt::Footprint& footprint, const std::vector<uint64_t>& addresses,
                                     uint64_t bytes_max) const;
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
