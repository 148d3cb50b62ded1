// EXPECT: PASS: read before its wait, a copy is poison; each wait completes what it covers and no more.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

namespace {

// seen: (5, 4) words, what the four copies of thread 0 have brought at five moments.
__global__ void unwaited_copies_kernel(unsigned* seen, const unsigned* in) {
  using namespace assay::simt;
  __shared__ unsigned tile[4];
  const auto look = [&](int moment) {
    for (int i = 0; i < 4; ++i) seen[moment * 4 + i] = tile[i];
  };
  for (int i = 0; i < 3; ++i) {
    cp_async<4>(&tile[i], &in[i]);
    cp_async_commit_group();
  }
  cp_async<4>(&tile[3], &in[3]);
  look(0);
  cp_async_wait_group<2>();
  look(1);
  cp_async_wait_group<1>();
  look(2);
  cp_async_wait_group<0>();
  look(3);
  cp_async_wait_all();
  look(4);
}

// The second block finds what the first has left unwaited.
__global__ void copies_of_an_earlier_block_kernel(unsigned* seen, const unsigned* in) {
  using namespace assay::simt;
  __shared__ unsigned word;
  if (blockIdx.x == 0) {
    cp_async<4>(&word, in);
    cp_async_commit_group();
  } else {
    word = 7;
    cp_async_wait_all();
    *seen = word;
  }
}

}  // namespace

ASSAY_KERNEL_TEST(unwaited_copies) {
  const std::vector<unsigned> in = {11, 12, 13, 14};
  std::vector<unsigned> seen(5 * 4);
  launch_kernel(unwaited_copies_kernel, {1, 1}, seen.data(), in.data());
  for (int moment = 0; moment < 5; ++moment)
    for (int i = 0; i < 4; ++i)
      if (seen[moment * 4 + i] != (i < moment ? in[i] : 0xffffffffu)) return "a wait has completed the wrong copies";
  launch_kernel(copies_of_an_earlier_block_kernel, {2, 1}, seen.data(), in.data());
  if (seen[0] != 7) return "a copy has outlived its block";
  return "";
}
