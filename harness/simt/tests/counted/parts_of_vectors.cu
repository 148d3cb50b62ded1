// TOTAL: bytes_read=512 bytes_written=512
// A float4 is one access of 16 bytes, also where its parts are used one by one.
#include "harness/simt/tests/kernel_test.h"

__global__ void parts_of_vectors_kernel(float4* out, const float4* in) {
  float4 value = in[threadIdx.x];  // LINE: sectors_per_request=16 ideal_sectors_per_request=16 requests=1
  value.x *= 2;
  value.w += value.y * value.z;
  out[threadIdx.x] = value;  // LINE: sectors_per_request=16 requests=1
}

ASSAY_KERNEL_TEST(parts_of_vectors) {
  auto* const out = reinterpret_cast<float4*>(output<float>("out", 128));
  launch_kernel(parts_of_vectors_kernel, {1, 32}, out, reinterpret_cast<const float4*>(input<float>("in", 128)));
  return "";
}
