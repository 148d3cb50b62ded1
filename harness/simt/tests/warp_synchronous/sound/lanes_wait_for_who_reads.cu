// EXPECT: PASS: lanes overwrite their element when their neighbours have read it.
#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_wait_for_who_reads_kernel(int* out, const int* in) {
  __shared__ int row[32];
  const int lane = threadIdx.x;
  row[lane] = in[lane];
  __syncwarp();
  const int next = row[(lane + 1) % 32];
  __syncwarp();
  row[lane] = next * 2;
  __syncwarp();
  out[lane] = row[31 - lane];
}

ASSAY_KERNEL_TEST(lanes_wait_for_who_reads) {
  int* const out = output<int>("out", 32);
  const int* const in = input<int>("in", 32);
  launch_kernel(lanes_wait_for_who_reads_kernel, {1, 32}, out, in);
  return out[0] == 2 * in[0] && out[31] == 2 * in[1] ? "" : "a value is wrong";
}
