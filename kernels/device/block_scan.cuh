// Sums of what the threads before each thread have, by warps.
#pragma once

#include "kernels/device/warp_reduce.cuh"

namespace assay::device {

struct Scanned {
  unsigned before;  // of the threads with lower indices
  unsigned total;   // of the block
};

// Every thread of the block must call it; blockDim.x is a multiple of 32. scratch: (blockDim.x / 32), shared memory
// that may be used again as soon as the call returns.
__device__ inline Scanned block_scan_by_warps(unsigned value, unsigned* scratch) {
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, warps = blockDim.x / kWarp;
  unsigned through = value;  // of the lanes up to this one
  for (unsigned distance = 1; distance < kWarp; distance *= 2) {
    const unsigned below = __shfl_up_sync(kAllLanes, through, distance);
    if (lane >= distance) through += below;
  }
  if (lane == kWarp - 1) scratch[warp] = through;
  __syncthreads();
  const unsigned of_warp = lane < warps ? scratch[lane] : 0;
  const unsigned before_warp = warp_reduce(lane < warp ? of_warp : 0u, Add());
  const unsigned total = warp_reduce(of_warp, Add());
  __syncthreads();
  return {before_warp + through - value, total};
}

}  // namespace assay::device
