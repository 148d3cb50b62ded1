// EXPECT: PASS: blocks meet twice by an atomic counter, each with its own locals and shared memory.
// RUNS IN: fast
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__device__ void meet_all_blocks(int* arrived, int round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < round * static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
}

__global__ void shift_by_a_block(const int* x, int* y, int* arrived) {
  __shared__ int mine[48];
  extern __shared__ int shifted[];
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  const int at = block * 48 + static_cast<int>(threadIdx.x);
  int locals[4] = {at, at + 1, at + 2, at + 3};
  mine[threadIdx.x] = x[at];
  y[at] = mine[threadIdx.x] + locals[at % 4] - at;
  meet_all_blocks(arrived, 1);
  shifted[threadIdx.x] = y[(block + 1) % blocks * 48 + static_cast<int>(threadIdx.x)];
  meet_all_blocks(arrived, 2);
  y[at] = shifted[threadIdx.x] + mine[threadIdx.x] + locals[3] - at;
}

ASSAY_KERNEL_TEST(blocks_wait_for_blocks) {
  constexpr int kBlocks = 6;
  std::vector<int> x(kBlocks * 48), y(kBlocks * 48);
  for (int i = 0; i < kBlocks * 48; ++i) x[i] = 1000 * i;
  int arrived = 0;
  launch_kernel(shift_by_a_block, {kBlocks, 48, 48 * sizeof(int)}, x.data(), y.data(), &arrived);
  for (int i = 0; i < kBlocks * 48; ++i) {
    const int next = (i + 48) % (kBlocks * 48);
    if (y[i] != x[next] + next % 4 + x[i] + 3) return "a block lost what was its own";
  }
  return "";
}
