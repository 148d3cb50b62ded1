// EXPECT: PASS: atomics on every type, from many blocks at once.
// RUNS IN: fast and checked
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

struct Cells {
  int i, least, most, exchanged;
  unsigned u, bits, ring;
  unsigned long long ull;
  float f;
  double d;
  __half2 h2;
  __nv_bfloat16 b;
};

__global__ void add_everything(Cells* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&c->i, 1), atomicSub(&c->i, 2);
  atomicMin(&c->least, -i), atomicMax(&c->most, i);
  atomicAdd(&c->u, 3u), atomicXor(&c->bits, 1u << i % 32), atomicInc(&c->ring, 9u);
  atomicAdd(&c->ull, 1ull << 33), atomicAdd(&c->f, 0.5f), atomicAdd(&c->d, 0.25);
  if (i < 64) atomicAdd(&c->h2, __floats2half2_rn(1.0f, 2.0f)), atomicAdd(&c->b, __float2bfloat16(1.0f));
  int seen = c->exchanged, before;
  do before = seen, seen = atomicCAS(&c->exchanged, before, before + i % 2);
  while (seen != before);
}

ASSAY_KERNEL_TEST(atomics_of_every_type) {
  Cells c{};
  launch_kernel(add_everything, {16, 64}, &c);
  const bool integers = c.i == -1024 && c.least == -1023 && c.most == 1023 && c.exchanged == 512 && c.u == 3072 &&
                        c.bits == 0 && c.ring == 4;
  const bool floats = c.f == 512.0f && c.d == 256.0 && c.ull == 1024ull << 33;
  const bool small = __low2float(c.h2) == 64.0f && __high2float(c.h2) == 128.0f && __bfloat162float(c.b) == 64.0f;
  return integers && floats && small ? "" : "a sum is wrong";
}
