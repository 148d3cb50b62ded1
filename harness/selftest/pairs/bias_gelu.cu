// y = gelu(x + bias), four floats at a time, for cols % 4 == 0. A WRONG one has lost a digit of a constant.
#include <cuda_runtime.h>

#ifdef WRONG
constexpr float kCubic = 0.04715f;
#else
constexpr float kCubic = 0.044715f;
#endif

__device__ float gelu(float v) { return 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + kCubic * v * v * v))); }

__global__ void bias_gelu(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y, int rows,
                          int cols) {
  int n4 = rows * cols / 4;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
    float4 b = reinterpret_cast<const float4*>(bias)[i % (cols / 4)];
    v.x = gelu(v.x + b.x);
    v.y = gelu(v.y + b.y);
    v.z = gelu(v.z + b.z);
    v.w = gelu(v.w + b.w);
    reinterpret_cast<float4*>(y)[i] = v;
  }
}
