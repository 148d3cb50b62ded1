// Cooperative groups of a whole grid, for launches whose blocks wait for each other (cudaLaunchCooperativeKernel).
#pragma once

#include "harness/simt/include/cooperative_groups.h"

namespace assay::cxx {

// How many blocks of the grid that runs have come to its barrier. Its highest bit changes when the last
// comes.
static unsigned grid_arrivals = 0;

}  // namespace assay::cxx

namespace cooperative_groups {

class grid_group {
 public:
  ASSAY_SIMT_INLINE void sync(unsigned line = __builtin_LINE()) const {
    __syncthreads(line);
    if (this_thread_block().thread_rank() == 0) {
      __threadfence();
      constexpr unsigned kTurn = 1u << 31;
      const unsigned others = static_cast<unsigned>(num_blocks()) - 1;
      const unsigned before = atomicAdd(&::assay::cxx::grid_arrivals, block_rank() == 0 ? kTurn - others : 1u);
      while (((atomicAdd(&::assay::cxx::grid_arrivals, 0u) ^ before) & kTurn) == 0) __nanosleep(0);
      __threadfence();
    }
    __syncthreads(line);
  }
  ASSAY_SIMT_INLINE bool is_valid() const { return true; }
  ASSAY_SIMT_INLINE dim3 dim_blocks() const { return gridDim; }
  ASSAY_SIMT_INLINE dim3 group_dim() const { return gridDim; }
  ASSAY_SIMT_INLINE dim3 block_index() const { return blockIdx; }
  ASSAY_SIMT_INLINE unsigned long long num_blocks() const {
    const auto& dim = gridDim;
    return 1ULL * dim.x * dim.y * dim.z;
  }
  ASSAY_SIMT_INLINE unsigned long long block_rank() const {
    const auto& index = blockIdx;
    const auto& dim = gridDim;
    return index.x + 1ULL * dim.x * (index.y + 1ULL * dim.y * index.z);
  }
  ASSAY_SIMT_INLINE unsigned long long num_threads() const { return num_blocks() * this_thread_block().num_threads(); }
  ASSAY_SIMT_INLINE unsigned long long size() const { return num_threads(); }
  ASSAY_SIMT_INLINE unsigned long long thread_rank() const {
    return block_rank() * this_thread_block().num_threads() + this_thread_block().thread_rank();
  }
};

ASSAY_SIMT_INLINE grid_group this_grid() { return {}; }
ASSAY_SIMT_INLINE void sync(const grid_group& grid, unsigned line = __builtin_LINE()) { grid.sync(line); }

}  // namespace cooperative_groups
