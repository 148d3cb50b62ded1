// nvcuda::wmma: matrices of a warp, of f16, bf16, tf32, f64 and integers of 8 bits.
//
// Which elements a lane holds is left open by CUDA; here they lie as PTX's wmma has them (matrix_product.h). Limits:
// integers of 4 bits and of one are not here.
#pragma once

#include <type_traits>

#include "harness/simt/include/cuda_bf16.h"
#include "harness/simt/include/cuda_fp16.h"
#include "harness/simt/include/ptx/matrix.h"

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

// How an element is held, and what it is to the executor's products.
template <class T>
struct Held {
  static_assert(sizeof(T) == 0, "no fragment of wmma has elements of this type here");
};
#define ASSAY_WMMA_HELD(name, stored, number)                                          \
  template <>                                                                          \
  struct Held<name> {                                                                  \
    using type = stored;                                                               \
    static constexpr ::assay::simt::Element kElement = ::assay::simt::Element::number; \
  };
ASSAY_WMMA_HELD(half, half, f16)
ASSAY_WMMA_HELD(__nv_bfloat16, __nv_bfloat16, bf16)
ASSAY_WMMA_HELD(precision::tf32, float, tf32)
ASSAY_WMMA_HELD(float, float, f32)
ASSAY_WMMA_HELD(double, double, f64)
ASSAY_WMMA_HELD(signed char, signed char, s8)
ASSAY_WMMA_HELD(char, char, s8)
ASSAY_WMMA_HELD(unsigned char, unsigned char, u8)
ASSAY_WMMA_HELD(int, int, s32)
#undef ASSAY_WMMA_HELD

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
 public:
  static constexpr bool kIsAccumulator = std::is_same_v<Use, accumulator>;
  static constexpr int kRows = std::is_same_v<Use, matrix_b> ? k : m, kCols = std::is_same_v<Use, matrix_a> ? k : n;
  // Every operand of f16 has eight registers.
  static constexpr int num_elements = !kIsAccumulator && std::is_same_v<T, half> ? 16 : kRows * kCols / 32;
  static constexpr int num_storage_elements = num_elements;
  using element_type = T;
  using storage_element_type = typename Held<T>::type;
  static constexpr bool kIsOf8Bits = sizeof(storage_element_type) == 1;
  static constexpr bool kIsLarge = (m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32);
  static_assert((kIsLarge && k == 16) || (m == 16 && n == 16 && k == 8) || (m == 8 && n == 8 && k == 4),
                "CUDA has no such shape");

  storage_element_type x[num_elements];

  // Where the lane's `i`-th element is in memory.
  ASSAY_SIMT_INLINE static size_t offset(int i, bool by_rows, unsigned stride) {
    constexpr auto kKind = kIsAccumulator ? ::assay::ptx::Fragment::accumulator : ::assay::ptx::Fragment::operand;
    return ::assay::ptx::offset_of<kKind, kRows, kCols, num_elements>(static_cast<uint32_t>(i), by_rows, stride);
  }
};

template <class Use, int m, int n, int k, class T, class Layout, class Value>
ASSAY_SIMT_INLINE void fill_fragment(fragment<Use, m, n, k, T, Layout>& to, const Value& value) {
  for (auto& each : to.x) each = static_cast<typename Held<T>::type>(value);
}
template <class Use, int m, int n, int k, class T, class Layout, class From>
ASSAY_SIMT_INLINE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& to, const From* from, unsigned stride) {
  __syncwarp();
  for (int i = 0; i < to.num_elements; ++i) to.x[i] = from[to.offset(i, std::is_same_v<Layout, row_major>, stride)];
}
template <int m, int n, int k, class T>
ASSAY_SIMT_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T>& to, const typename Held<T>::type* from,
                                        unsigned stride, layout_t layout) {
  __syncwarp();
  for (int i = 0; i < to.num_elements; ++i) to.x[i] = from[to.offset(i, layout == mem_row_major, stride)];
}
template <int m, int n, int k, class T>
ASSAY_SIMT_INLINE void store_matrix_sync(typename Held<T>::type* to, const fragment<accumulator, m, n, k, T>& from,
                                         unsigned stride, layout_t layout) {
  __syncwarp();
  for (int i = 0; i < from.num_elements; ++i) to[from.offset(i, layout == mem_row_major, stride)] = from.x[i];
}

template <int m, int n, int k, class A, class LayoutA, class B, class LayoutB, class C, class D>
ASSAY_SIMT_INLINE void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, A, LayoutA>& a,
                                const fragment<matrix_b, m, n, k, B, LayoutB>& b,
                                const fragment<accumulator, m, n, k, C>& c, bool saturates = false) {
  using ::assay::ptx::kMatrixForm;
  constexpr const auto& kPlain = kMatrixForm<m, n, k, Held<A>::kElement, Held<B>::kElement, Held<C>::kElement,
                                             Held<D>::kElement, true, false, false>;
  constexpr const auto& kSaturating = kMatrixForm<m, n, k, Held<A>::kElement, Held<B>::kElement, Held<C>::kElement,
                                                  Held<D>::kElement, true, true, false>;
  ::assay::simt::matrix_product(saturates ? kSaturating : kPlain, d.x, a.x, b.x, c.x);
}

// The nearest value with ten bits of fraction, ties away from zero.
ASSAY_SIMT_INLINE float __float_to_tf32(float value) {
  uint32_t bits = __float_as_uint(value);
  if ((bits & 0x7f800000u) != 0x7f800000u) bits += 0x1000u;
  return __uint_as_float(bits & ~0x1fffu);
}

}  // namespace nvcuda::wmma
