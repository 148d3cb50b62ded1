// EXPECT: PASS: lanes that come to one place in a branch are a group, in each turn of a loop those that are left.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

namespace {

// Every lane adds up, in a group of its own turn, one for each member: a ballot would wait for ever for another lane.
__global__ void lanes_of_a_branch_converge_kernel(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  int sum = 0;
  if (t % 3 == 0) {
    const unsigned together = ::assay::simt::converged_lanes();
    sum = __popc(__ballot_sync(together, 1));
  } else {
    for (int turn = 0; turn < t % 3; ++turn) sum += 100 * __popc(__ballot_sync(::assay::simt::converged_lanes(), 1));
  }
  __syncthreads();
  out[t] = sum;
}

}  // namespace

ASSAY_KERNEL_TEST(lanes_of_a_branch_converge) {
  int* const out = output<int>("out", 64);
  launch_kernel(lanes_of_a_branch_converge_kernel, {1, 32}, out);
  for (int t = 0; t < 32; ++t) {
    const int expected[] = {11, 2100, 3100};  // of 32 lanes 11, 11 and 10; the last are alone in their second turn
    if (out[t] != expected[t % 3]) return "a group is wrong";
  }
  return "";
}
