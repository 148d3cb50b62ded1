// Normal values by a counter, each thread some of its own. The sum of twelve uniforms is exact in a double, and one
// rounding follows, so there is nothing that a GPU could compute differently.
#include "harness/device/cuda/module/fill_kernels.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "harness/op/variant.h"
#include "harness/tensor/counter.h"

namespace assay {
namespace {

constexpr int kBlock = 256;
constexpr int64_t kBlocksMax = 8192;  // some waves on the largest GPU; the loop does the rest

// Returns a float whose last bit is set where the value lies between two floats ("rounded to odd"): rounded once more,
// to fewer bits, that gives what the value itself would have given, where a float that was rounded to nearest may not.
__device__ float to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const double back = nearest;
  if (back == value) return nearest;
  const uint32_t bits = __float_as_uint(nearest);
  return __uint_as_float((fabs(back) > fabs(value) ? bits - 1 : bits) | 1);
}

__device__ void round_to(float& out, double value) { out = static_cast<float>(value); }
__device__ void round_to(__nv_bfloat16& out, double value) { out = __float2bfloat16_rn(to_odd(value)); }
__device__ void round_to(__half& out, double value) { out = __float2half_rn(to_odd(value)); }

template <class T>
__global__ void fill_normal(T* memory, int64_t count, uint64_t counter) {
  for (int64_t i = blockIdx.x * int64_t{kBlock} + threadIdx.x; i < count; i += gridDim.x * int64_t{kBlock})
    round_to(memory[i], normal_at(counter, static_cast<uint64_t>(i)));
}

template <class T>
bool queue(void* memory, int64_t count, uint64_t counter) {
  const int64_t blocks = std::clamp<int64_t>((count + kBlock - 1) / kBlock, 1, kBlocksMax);
  const Launch shape{.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kBlock)};
  launch(fill_normal<T>, shape, static_cast<T*>(memory), count, counter);
  return true;
}

}  // namespace

bool queue_normal(void* memory, int64_t count, DType dtype, uint64_t counter) {
  switch (dtype) {
    case DType::f32:
      return queue<float>(memory, count, counter);
    case DType::bf16:
      return queue<__nv_bfloat16>(memory, count, counter);
    case DType::f16:
      return queue<__half>(memory, count, counter);
    case DType::u32:
    case DType::u64:
    case DType::u8:
      break;
  }
  return false;
}

}  // namespace assay
