// Which elements of a written tensor belong to which block, as far as sampled blocks show it.
//
// Where every element is to be written by one block, blocks that are far from each other write different ones, and as
// many as the tensor has together. What a block writes in a wrong place shows as an element of another block, whose
// number follows from where the first blocks write; what it leaves out shows by counting.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/verdict.h"
#include "harness/judge/expected.h"
#include "harness/tensor/virtual_tensor.h"

namespace assay::judge {

// The blocks of a launch. Their numbers count x first, then y, then z.
struct Grid {
  uint64_t x = 1, y = 1, z = 1;

  uint64_t count() const { return x * y * z; }
  uint64_t number(uint64_t at_x, uint64_t at_y, uint64_t at_z) const { return (at_z * y + at_y) * x + at_x; }
  std::string text(uint64_t block) const;  // "(3,0,0)"
};

class Ownership {
 public:
  explicit Ownership(const VirtualTensor& tensor) : tensor_(tensor) {}

  // Takes note of what a block of this grid has written; each block once.
  void add(const Grid& grid, uint64_t block, const std::vector<VirtualTensor::Change>& changes);

  // Blocks that should have written what others did, by the distances at which the first blocks write.
  std::vector<uint64_t> suspected() const;

  // Whether blocks beside each other have written one element: perhaps each adds its part, and none has all of it.
  bool is_shared() const;

  // Two blocks that are far apart and have written one element; blocks that have written less than the tensor needs.
  Findings findings() const;

 private:
  struct Writes {
    uint64_t block = 0;
    int64_t count = 0;
    std::vector<ElementRange> runs = {};  // ascending
  };
  const Writes* of(uint64_t block) const;
  std::optional<uint64_t> owner(int64_t element) const;
  bool neighbours(uint64_t a, uint64_t b) const;
  std::optional<Finding> shared() const;
  std::optional<Finding> missing() const;

  const VirtualTensor& tensor_;
  Grid grid_;
  std::vector<Writes> all_;
};

}  // namespace assay::judge
