// Copies to shared memory that run some steps ahead of the arithmetic, in a ring of stages.
//
// A step's copies are one group of cp.async. When a step is computed, those of the next kStages - 1 are on their way;
// one barrier for each step says both that its data is there for all threads and that the stage which is filled next is
// no longer read.
#pragma once

#include <cstdint>

#include "kernels/device/cp_async.cuh"

namespace assay::device {

// Calls begin(step, stage), which starts the copies of a step, and compute(stage) for the steps 0 … steps - 1. The
// whole block calls it; the stages may be used again after a further barrier.
template <int kStages, class Begin, class Compute>
__device__ void pipelined(int64_t steps, Begin begin, Compute compute) {
  const auto start = [&](int64_t step) {
    if (step < steps) begin(step, static_cast<int>(step % kStages));
    cp_async_commit_group();  // an empty one at the end, so that the wait below always counts the same
  };
  for (int step = 0; step < kStages - 1; ++step) start(step);
  for (int64_t step = 0; step < steps; ++step) {
    cp_async_wait_group<kStages - 2>();
    __syncthreads();
    start(step + kStages - 1);
    compute(static_cast<int>(step % kStages));
  }
}

}  // namespace assay::device
