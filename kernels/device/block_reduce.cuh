// Combining one value per thread of a one-dimensional block, in two ways: a tree in shared memory, which takes any
// block size and is the one to read first, and by warps, which needs multiples of 32 threads and has two barriers
// instead of two per level of the tree.
//
// Every thread of the block must call them, and every thread gets the result. `scratch` is shared memory; it may be
// used again as soon as the call returns.
#pragma once

#include "kernels/device/warp_reduce.cuh"

namespace assay::device {

// scratch: (blockDim.x) f32.
template <class Combine>
__device__ float block_reduce(float value, float* scratch, Combine combine) {
  const unsigned thread = threadIdx.x;
  scratch[thread] = value;
  __syncthreads();
  unsigned span = 1;  // the next power of two, so that odd block sizes lose nobody
  while (span < blockDim.x) span *= 2;
  for (unsigned half = span / 2; half > 0; half /= 2) {
    if (thread < half && thread + half < blockDim.x) scratch[thread] = combine(scratch[thread], scratch[thread + half]);
    __syncthreads();
  }
  const float result = scratch[0];
  __syncthreads();
  return result;
}

// scratch: (blockDim.x / 32) f32. blockDim.x is a multiple of 32.
template <class Combine>
__device__ float block_reduce_by_warps(float value, float* scratch, Combine combine) {
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, warps = blockDim.x / kWarp;
  value = warp_reduce(value, combine);
  if (lane == 0) scratch[warp] = value;
  __syncthreads();
  // Every warp combines the partial results again: cheaper than handing one warp's result round with a third barrier.
  const float result = warp_reduce(lane < warps ? scratch[lane] : Combine::kIdentity, combine);
  __syncthreads();
  return result;
}

}  // namespace assay::device
