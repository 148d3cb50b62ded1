// EXPECT: PASS: halves and single lanes of a warp meet on their own, in branches, with operations of every kind.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void masks(long long* out) {
  const unsigned lane = threadIdx.x % 32, half_mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  long long value = 1000000000000ll * lane;
  if (lane < 16) {
    for (int offset = 8; offset > 0; offset >>= 1) value += __shfl_xor_sync(0x0000ffffu, value, offset);
  } else {
    value = __shfl_sync(0xffff0000u, value, 3, 16);  // lane 19
    __syncwarp(0xffff0000u);
  }
  const unsigned odd = __ballot_sync(half_mask, lane & 1);
  if (lane == 5) __syncwarp(1u << 5);
  const unsigned same = __match_any_sync(0xffffffffu, lane / 4);
  int all_equal = -1;
  __match_all_sync(half_mask, lane / 16, &all_equal);
  const int least = __reduce_min_sync(half_mask, static_cast<int>(lane) - 20);
  const unsigned sum = __reduce_add_sync(0xffffffffu, lane);
  const double shifted = __shfl_up_sync(0xffffffffu, static_cast<double>(lane), 1, 8);
  bool right = odd == (half_mask & 0xaaaaaaaau) && same == 0xfu << (lane / 4 * 4) && all_equal == 1;
  right = right && least == (lane < 16 ? -20 : -4) && sum == 496 && shifted == (lane % 8 == 0 ? lane : lane - 1);
  right = right && __any_sync(half_mask, lane == 17) == (lane >= 16) && __all_sync(half_mask, lane < 16) == (lane < 16);
  out[blockIdx.x * blockDim.x + threadIdx.x] = right ? value : -1;
}

ASSAY_KERNEL_TEST(partial_masks) {
  std::vector<long long> out(3 * 64);
  launch_kernel(masks, {3, 64}, out.data());
  for (int i = 0; i < 3 * 64; ++i)
    if (out[i] != (i % 32 < 16 ? 120 : 19) * 1000000000000ll) return "a lane has a wrong result";
  return "";
}
