// EXPECT: PASS: the shuffles and votes of before Volta are those of the lanes that are still there.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

namespace {

__global__ void warp_operations_without_mask_kernel(int* out) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (threadIdx.x >= 32 && lane >= 8) return;
  const int last = threadIdx.x < 32 ? 31 : 7;
  bool right = __shfl(lane, last) == last && __shfl(lane, 1, 4) == lane / 4 * 4 + 1;
  right = right && __shfl_up(lane, 1) == (lane == 0 ? 0 : lane - 1) && __shfl_xor(1.5 * lane, 1) == 1.5 * (lane ^ 1);
  right = right && __shfl_down(lane, 1, 8) == (lane % 8 == 7 ? lane : lane + 1);
  right = right && __ballot(lane % 2) == (0xaaaaaaaau & (~0u >> (31 - last)));
  right = right && __any(lane == last) && !__any(lane > last) && __all(lane <= last) && !__all(lane == 0);
  out[threadIdx.x] = right ? 1 : 0;
}

__global__ void memory_spaces_kernel(const int* in, int* out) {
  __shared__ int fixed[4];
  extern __shared__ int sized[];
  if (threadIdx.x > 0) return;
  fixed[1] = sized[1] = in[0];
  out[40] = __isShared(&fixed[1]) && __isShared(sized + 1) && !__isShared(out) && __isGlobal(in) && !__isGlobal(fixed);
  __builtin_assume(fixed[1] >= 0);
}

}  // namespace

ASSAY_KERNEL_TEST(warp_operations_without_mask) {
  int* const out = accumulated<int>("out", 64);
  launch_kernel(warp_operations_without_mask_kernel, {1, 64}, out);
  launch_kernel(memory_spaces_kernel, {1, 32, 64}, input<int>("in", 1), out);
  for (int i = 0; i < 41; ++i)
    if (out[i] != 1) return "an operation without a mask is wrong, or a memory's kind";
  return "";
}
