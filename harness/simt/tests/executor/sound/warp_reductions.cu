// EXPECT: PASS: __reduce_*_sync of every kind and type, whole warps and masks, and the reductions of tiles.
// RUNS IN: fast and checked
#include <cooperative_groups/reduce.h>

#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

namespace {

namespace cg = cooperative_groups;

// values: one for each lane of a warp. out: (17, 32), as `expected` below has it.
__global__ void warp_reductions_kernel(unsigned* out, const unsigned* values) {
  const int lane = threadIdx.x;
  const unsigned value = values[lane], mask = lane % 3 == 0 ? 0x49249249u : ~0x49249249u;
  const int as_signed = static_cast<int>(value);
  const auto eight = cg::tiled_partition<8>(cg::this_thread_block());
  const unsigned results[] = {__reduce_add_sync(mask, value),
                              static_cast<unsigned>(__reduce_add_sync(mask, as_signed)),
                              __reduce_min_sync(mask, value),
                              static_cast<unsigned>(__reduce_min_sync(mask, as_signed)),
                              __reduce_max_sync(mask, value),
                              static_cast<unsigned>(__reduce_max_sync(mask, as_signed)),
                              __reduce_and_sync(mask, value),
                              __reduce_or_sync(mask, value),
                              __reduce_xor_sync(mask, value),
                              __reduce_add_sync(0xffffffffu, value),
                              __reduce_max_sync(0xffffffffu, value),
                              cg::reduce(eight, value, cg::plus<unsigned>()),
                              cg::reduce(eight, value, cg::less<unsigned>()),
                              static_cast<unsigned>(cg::reduce(eight, as_signed, cg::greater<int>())),
                              cg::reduce(eight, value, cg::bit_and<unsigned>()),
                              cg::reduce(eight, value, cg::bit_or<unsigned>()),
                              cg::reduce(eight, value, cg::bit_xor<unsigned>())};
  for (int i = 0; i < 17; ++i) out[i * 32 + lane] = results[i];
}

// Folds the values of the lanes that `belongs` accepts.
template <class Belongs, class Combine>
unsigned fold(const std::vector<unsigned>& values, Belongs belongs, Combine combine) {
  bool any = false;
  unsigned result = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (belongs(lane)) {
      result = any ? combine(result, values[lane]) : values[lane];
      any = true;
    }
  return result;
}

unsigned expected(const std::vector<unsigned>& values, int which, int lane) {
  const auto in_mask = [&](int other) { return (other % 3 == 0) == (lane % 3 == 0); };
  const auto in_warp = [](int) { return true; };
  const auto in_tile = [&](int other) { return other / 8 == lane / 8; };
  const auto sum = [](unsigned a, unsigned b) { return a + b; };
  const auto least = [](unsigned a, unsigned b) { return a < b ? a : b; };
  const auto most = [](unsigned a, unsigned b) { return a > b ? a : b; };
  const auto least_signed = [](unsigned a, unsigned b) { return static_cast<int>(a) < static_cast<int>(b) ? a : b; };
  const auto most_signed = [](unsigned a, unsigned b) { return static_cast<int>(a) > static_cast<int>(b) ? a : b; };
  const auto both = [](unsigned a, unsigned b) { return a & b; };
  const auto either = [](unsigned a, unsigned b) { return a | b; };
  const auto one = [](unsigned a, unsigned b) { return a ^ b; };
  switch (which) {
    case 0:
    case 1:
      return fold(values, in_mask, sum);
    case 2:
      return fold(values, in_mask, least);
    case 3:
      return fold(values, in_mask, least_signed);
    case 4:
      return fold(values, in_mask, most);
    case 5:
      return fold(values, in_mask, most_signed);
    case 6:
      return fold(values, in_mask, both);
    case 7:
      return fold(values, in_mask, either);
    case 8:
      return fold(values, in_mask, one);
    case 9:
      return fold(values, in_warp, sum);
    case 10:
      return fold(values, in_warp, most);
    case 11:
      return fold(values, in_tile, sum);
    case 12:
      return fold(values, in_tile, least);
    case 13:
      return fold(values, in_tile, most_signed);
    case 14:
      return fold(values, in_tile, both);
    case 15:
      return fold(values, in_tile, either);
    default:
      return fold(values, in_tile, one);
  }
}

}  // namespace

ASSAY_KERNEL_TEST(warp_reductions) {
  std::vector<unsigned> values(32), out(17 * 32);
  for (unsigned lane = 0; lane < 32; ++lane) values[lane] = (lane + 1) * 2654435761u | 0x1000u;
  launch_kernel(warp_reductions_kernel, {1, 32}, out.data(), values.data());
  for (int which = 0; which < 17; ++which)
    for (int lane = 0; lane < 32; ++lane)
      if (out[which * 32 + lane] != expected(values, which, lane)) return "a reduction is wrong";
  return "";
}
