// EXPECT: MISALIGNED: copies of 8 bytes begin at every word.
#include "harness/simt/tests/kernel_test.h"
#include "kernels/device/cp_async.cuh"

using assay::simt::launch_kernel;

__global__ void cp_async_from_odd_words_kernel(unsigned* out, const unsigned* in) {
  __shared__ __align__(16) unsigned tile[32][2];
  assay::device::cp_async<8>(tile[threadIdx.x], &in[threadIdx.x]);
  assay::device::cp_async_wait_all();
  out[threadIdx.x] = tile[threadIdx.x][0];
}

ASSAY_KERNEL_TEST(cp_async_from_odd_words) {
  std::vector<unsigned> in(33), out(32);
  launch_kernel(cp_async_from_odd_words_kernel, {1, 32}, out.data(), in.data());
  return "";
}
