// Weights in blocks and activations that go through q8_k, as f32 in workspace: the plain way, which every product
// takes.
//
// It costs memory and time for f32 copies of both, and leaves the product what it is. Where a case has neither, nothing
// is copied and nothing launched.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "kernels/device/formats.cuh"
#include "kernels/device/quantise.cuh"

namespace assay::device {

constexpr int kWidenThreads = 128;

// q: (count / elements, bytes)  y: (count)
template <class Format>
__global__ void widen_blocks(const uint8_t* q, float* y, int64_t count) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) y[i] = element_in<Format>(q, i);
}

// The numbers that the q8_k block of x means, a thread for each block. x, y: (blocks, 256)
template <class Format>
__global__ void pass_through_codes(const float* x, float* y, int64_t blocks) {
  const int64_t b = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (b >= blocks) return;
  x += b * Format::kElements;
  y += b * Format::kElements;
  Extremes extremes = extremes_of(x[0]);
  for (int i = 1; i < Format::kElements; ++i) extremes = merged(extremes, extremes_of(x[i]));
  const Scale scale = scale_of<Format>(extremes);
  const float none = __uint_as_float(0x7fffffff);
  for (int i = 0; i < Format::kElements; ++i)
    y[i] = extremes.finite ? scale.d * static_cast<float>(code_of<Format>(x[i], scale)) : none;
}

// Takes f32 copies from a variant's workspace, one after the other.
class F32Copies {
 public:
  F32Copies(const Call& call, float* workspace) : call_(call), next_(workspace) {}

  // A tensor of `count` weights.
  template <class T>
  const T* weights(const std::string& tensor, int64_t count) {
    if constexpr (std::is_same_v<T, float>)
      if (is_in_blocks(call_.c(), tensor) && count > 0) {
        float* const copy = take(count);
        by_format(call_.text(tensor + "_format"), [&]<class Format>() {
          launch(widen_blocks<Format>, {.grid = dim3(ceil_div(count, kWidenThreads)), .block = dim3(kWidenThreads)},
                 call_.in<uint8_t>(tensor), copy, count);
        });
        return copy;
      }
    return call_.in<T>(tensor);
  }

  // `count` activations, of which the rows have whole blocks.
  template <class T>
  const T* activations(const T* x, int64_t count) {
    if constexpr (std::is_same_v<T, float>)
      if (packs_activations(call_.c()) && count > 0) {
        float* const copy = take(count);
        const int64_t blocks = count / Q8_K::kElements;
        launch(pass_through_codes<Q8_K>, {.grid = dim3(ceil_div(blocks, kWidenThreads)), .block = dim3(kWidenThreads)},
               x, copy, blocks);
        return copy;
      }
    return x;
  }

 private:
  float* take(int64_t count) { return std::exchange(next_, next_ + count); }

  const Call& call_;
  float* next_;
};

// Elements that F32Copies takes for a tensor of weights, and for activations.
inline int64_t copied_weights(const Case& c, const std::string& tensor, int64_t count) {
  return is_in_blocks(c, tensor) ? count : 0;
}
inline int64_t copied_activations(const Case& c, int64_t count) { return packs_activations(c) ? count : 0; }

}  // namespace assay::device
