// EXPECT: PASS: memory of the host's calls is as written as it says, to the byte, and goes where it says.
// RUNS IN: fast and checked
#include "harness/simt/include/simt/runtime_api.h"
#include "harness/simt/tests/kernel_test.h"

__constant__ float host_prepares_memory_factor;

__global__ void host_prepares_memory_kernel(float* out, const float* whole, const unsigned short* halves,
                                            const unsigned char* bytes) {
  const unsigned i = threadIdx.x;
  out[i] = whole[i] * host_prepares_memory_factor + halves[i] + bytes[i];
}

ASSAY_KERNEL_TEST(host_prepares_memory) {
  constexpr size_t kCount = 31;
  std::vector<float> values(kCount, 3), got(kCount);
  float *whole = nullptr, *copy = nullptr, *out = nullptr;
  unsigned short* halves = nullptr;
  unsigned char* bytes = nullptr;
  cudaMalloc(&whole, kCount * sizeof(float));
  cudaMalloc(&copy, kCount * sizeof(float));
  cudaMalloc((void**)&out, kCount * sizeof(float));
  cudaMalloc(&halves, kCount * sizeof(short));
  cudaMalloc(&bytes, kCount);
  cudaMemcpy(whole, values.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpyAsync(copy, whole, kCount * sizeof(float), cudaMemcpyDeviceToDevice, nullptr);
  for (size_t i = 0; i < kCount; ++i) cudaMemset(halves + i, 1, sizeof(short));
  for (size_t i = 0; i < kCount; ++i) cudaMemsetAsync(bytes + i, static_cast<int>(i), 1);
  const float factor = 2;
  cudaMemcpyToSymbol(host_prepares_memory_factor, &factor, sizeof factor);
  launch_kernel(host_prepares_memory_kernel, {1, kCount}, out, copy, halves, bytes);
  const cudaError_t copied = cudaMemcpy(got.data(), out, kCount * sizeof(float), cudaMemcpyDeviceToHost);
  for (void* memory : std::vector<void*>{whole, copy, out, halves, bytes})
    if (cudaFree(memory) != cudaSuccess) return "cudaFree fails";
  if (copied != cudaSuccess) return "cudaMemcpy fails";
  for (size_t i = 0; i < kCount; ++i)
    if (got[i] != 6 + 257 + static_cast<float>(i)) return "wrong values";
  return "";
}
