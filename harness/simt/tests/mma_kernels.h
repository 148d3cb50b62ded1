// The shapes of mma.sync as types, for test kernels that are written once for all of them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/simt/include/simt/matrix_places.h"
#include "harness/simt/include/simt/mma.h"
#include "harness/simt/tests/kernel_test.h"

namespace assay::simt::test {

// Two 16-bit elements as one register.
template <class T>
__device__ uint32_t pair_bits(float low, float high) {
  const T pair[2] = {T(low), T(high)};
  uint32_t bits;
  memcpy(&bits, pair, sizeof bits);
  return bits;
}

// kOfA, kOfB: elements of a lane's fragment. `element` gives their values.
template <class T, int K>
struct MmaOfPairs {
  static constexpr int kK = K, kOfA = K / 2, kOfB = K / 4;
  static constexpr MatrixPlace in_a(int lane, int i) { return place_in_a(lane, i); }
  static constexpr MatrixPlace in_b(int lane, int i) { return place_in_b(lane, i); }
  template <int count, class Element>
  __device__ static void fragment(uint32_t (&registers)[count], Element element) {
    for (int i = 0; i < count; ++i) registers[i] = pair_bits<T>(element(2 * i), element(2 * i + 1));
  }
  __device__ static void mma(float* d, const uint32_t* a, const uint32_t* b) {
    if constexpr (K == 16)
      mma_m16n8k16<T>(d, a, b);
    else
      mma_m16n8k8<T>(d, a, b);
  }
  static constexpr int kRegistersOfA = kOfA / 2, kRegistersOfB = kOfB / 2;
};
template <class T>
using M16n8k16 = MmaOfPairs<T, 16>;
template <class T>
using M16n8k8 = MmaOfPairs<T, 8>;

struct M16n8k8Tf32 {
  static constexpr int kK = 8, kOfA = 4, kOfB = 2;
  static constexpr MatrixPlace in_a(int lane, int i) { return place_in_a_tf32(lane, i); }
  static constexpr MatrixPlace in_b(int lane, int i) { return place_in_b_tf32(lane, i); }
  template <int count, class Element>
  __device__ static void fragment(uint32_t (&registers)[count], Element element) {
    for (int i = 0; i < count; ++i) registers[i] = to_tf32(element(i));
  }
  __device__ static void mma(float* d, const uint32_t* a, const uint32_t* b) { mma_m16n8k8_tf32(d, a, b); }
  static constexpr int kRegistersOfA = kOfA, kRegistersOfB = kOfB;
};

// out += A B. out: (16, 8) f32. a_element, b_element: the values of the calling lane's fragments, by element.
template <class Shape, class OfA, class OfB>
__device__ void multiply(float* out, OfA a_element, OfB b_element) {
  const int lane = threadIdx.x % 32;
  uint32_t a[Shape::kRegistersOfA], b[Shape::kRegistersOfB];
  Shape::fragment(a, a_element);
  Shape::fragment(b, b_element);
  const auto at = [&](int i) {
    const MatrixPlace place = place_in_d(lane, i);
    return place.row * 8 + place.col;
  };
  float d[4];
  for (int i = 0; i < 4; ++i) d[i] = out[at(i)];
  Shape::mma(d, a, b);
  for (int i = 0; i < 4; ++i) out[at(i)] = d[i];
}

}  // namespace assay::simt::test
