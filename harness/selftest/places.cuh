// The parts that the planted masks of sampling share: the order of a row, and a mask in two launches. The first decides
// which elements stay, by comparing each of them with all others of its row, and the second masks the rest.
#pragma once

#include "harness/selftest/planted_kernel.cuh"

namespace assay::selftest {

// Whether a at index i goes before b at index j: NaN first, then the larger, then the lower index.
template <class T>
__device__ bool comes_before(T a, int64_t i, T b, int64_t j) {
  const float x = static_cast<float>(a), y = static_cast<float>(b);
  if (isnan(x) != isnan(y)) return isnan(x);
  if (x != y && !isnan(x)) return x > y;
  return i < j;
}

template <class T>
__global__ void mask_others(T* data, const bool* kept, int64_t vocab, float masked) {  // data, kept: (gridDim.x, vocab)
  for (int64_t v = threadIdx.x; v < vocab; v += blockDim.x)
    if (!kept[blockIdx.x * vocab + v]) data[blockIdx.x * vocab + v] = static_cast<T>(masked);
}

template <class T, class Limit>
void mask_in_two_launches(Call& call, std::string_view tensor, float masked,
                          void (*decide)(const T*, bool*, int64_t, Limit), std::type_identity_t<Limit> limit) {
  const int64_t rows = call.dim("rows"), vocab = call.dim("V");
  if (rows == 0 || vocab == 0) return;
  const Launch shape = device::block_for_each(call, rows);
  launch(decide, shape, call.in<T>(tensor), call.workspace<bool>(), vocab, limit);
  launch(mask_others<T>, shape, call.out<T>(tensor), call.workspace<bool>(), vocab, masked);
}

inline int64_t a_flag_per_element(const Case& c) { return c.dim("rows") * c.dim("V"); }

inline std::optional<std::string> too_long(const Case& c) {
  if (c.dim("V") > 1024) return "it compares every two elements of a row";
  return std::nullopt;
}

}  // namespace assay::selftest
