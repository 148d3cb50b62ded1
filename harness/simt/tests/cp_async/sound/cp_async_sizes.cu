// EXPECT: PASS: copies of 4, 8 and 16 bytes, whole and filled up with zeros.
// RUNS IN: fast and checked
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

namespace {

// The first `words` of in's 4 words for each thread count. out: (3, threads, 4).
__global__ void cp_async_sizes_kernel(unsigned* out, const unsigned* in) {
  using namespace assay::simt;
  __shared__ __align__(16) unsigned tile[3][32][4];
  const int t = threadIdx.x, words = t % 5;
  const auto count = [&](int first, int size) {
    const int left = words - first;
    return 4 * (left < 0 ? 0 : left > size ? size : left);
  };
  for (int i = 0; i < 4; ++i) cp_async<4>(&tile[0][t][i], &in[4 * t + i], count(i, 1));
  for (int i = 0; i < 4; i += 2) cp_async<8>(&tile[1][t][i], &in[4 * t + i], count(i, 2));
  cp_async<16>(&tile[2][t][0], &in[4 * t], count(0, 4));
  cp_async_wait_all();
  for (int size = 0; size < 3; ++size)
    for (int i = 0; i < 4; ++i) out[(size * 32 + t) * 4 + i] = tile[size][t][i];
}

}  // namespace

ASSAY_KERNEL_TEST(cp_async_sizes) {
  alignas(16) unsigned in[32 * 4];
  for (unsigned i = 0; i < 32 * 4; ++i) in[i] = 1000 + i;
  std::vector<unsigned> out(3 * 32 * 4);
  launch_kernel(cp_async_sizes_kernel, {1, 32}, out.data(), static_cast<const unsigned*>(in));
  for (int i = 0; i < 3 * 32 * 4; ++i)
    if (out[i] != (i % 4 < i / 4 % 32 % 5 ? in[i % 128] : 0)) return "a word is wrong";
  return "";
}
