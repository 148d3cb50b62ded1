// EXPECT: OUT_OF_BOUNDS: structures of 12 and 32 bytes, one more than there are.
// SAYS: of[
#include "harness/simt/tests/kernel_test.h"

struct Triple {
  float x, y, z;
};
struct Pack {
  float values[8];
};

__global__ void structure_past_the_end_kernel(Triple* triples, Pack* packs, const Triple* t, const Pack* of) {
  triples[threadIdx.x] = t[threadIdx.x];  // HERE
  packs[threadIdx.x] = of[threadIdx.x];   // HERE
}

ASSAY_KERNEL_TEST(structure_past_the_end) {
  launch_kernel(structure_past_the_end_kernel, {1, 32}, reinterpret_cast<Triple*>(output<float>("triples", 93)),
                reinterpret_cast<Pack*>(output<float>("packs", 256)),
                reinterpret_cast<const Triple*>(input<float>("t", 96)),
                reinterpret_cast<const Pack*>(input<float>("of", 248)));
  return "";
}
