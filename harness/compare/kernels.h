// A comparison by kernel: what became of each, as a sentence to read before the table.
#pragma once

#include <string>
#include <vector>

#include "harness/compare/show.h"

namespace assay::comparison {

struct KernelChange {
  std::string variant;
  std::string changes;        // of each sort what changed most: "moves 1.77 × the bytes and takes 0.9 × the time"
  std::string ratios;         // of the case with that change: "active_lanes 1 -> 0.5, …"; "" where none differs
  std::vector<Block> blocks;  // what of it regressed, is missing, fails in both runs or improved; in their order

  bool is_open() const { return blocks.front().change <= Change::failing; }
};

// The kernels with changes to report, in the order of their first lines.
std::vector<KernelChange> kernels_of(const Comparison& comparison);

// "softmax_forward/online moves 1.77 × the bytes", as plain() has it.
std::string sentence(const KernelChange& kernel);

}  // namespace assay::comparison
