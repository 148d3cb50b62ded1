// EXPECT: PASS: a block as a cooperative group: its shape, and barriers in three ways of writing.
// RUNS IN: fast and checked
#include <cooperative_groups.h>

#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

namespace {

__device__ void wait_for_all(cooperative_groups::thread_block block) { cooperative_groups::sync(block); }

__global__ void cooperative_block_kernel(int* out) {
  namespace cg = cooperative_groups;
  __shared__ unsigned ranks[2 * 3 * 4];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned rank = block.thread_rank();
  ranks[rank] = rank;
  block.sync();
  const unsigned other = ranks[block.size() - 1 - rank];
  cg::sync(block);
  ranks[rank] = other;
  wait_for_all(block);
  const dim3 at = block.thread_index(), shape = block.dim_threads(), where = block.group_index();
  const bool right = ranks[(rank + 1) % 24] == 23 - (rank + 1) % 24 && block.num_threads() == 24 &&
                     rank == at.x + shape.x * (at.y + shape.y * at.z) && shape.x == 2 && shape.y == 3 && shape.z == 4 &&
                     at.x == threadIdx.x && at.y == threadIdx.y && at.z == threadIdx.z && where.x == blockIdx.x &&
                     where.y == blockIdx.y && where.z == blockIdx.z;
  out[(blockIdx.x + gridDim.x * blockIdx.y) * 24 + rank] = right;
}

}  // namespace

ASSAY_KERNEL_TEST(cooperative_block) {
  std::vector<int> out(2 * 2 * 24);
  launch_kernel(cooperative_block_kernel, {dim3(2, 2), dim3(2, 3, 4)}, out.data());
  for (const int right : out)
    if (right != 1) return "a thread saw something else";
  return "";
}
