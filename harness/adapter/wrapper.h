// What the generated file around a user's kernel needs (harness/adapter/generate.cpp writes that file).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/op/variant.h"

namespace assay::adapter {

// Whether a pointer to U is one to elements of type E: E itself, its bits as an integer of the same size, or several at
// once (half2, float4, uint4, …).
template <class U, class E>
constexpr bool is_made_of() {
  using V = std::remove_cv_t<U>;
  if constexpr (std::is_void_v<V> || std::is_same_v<V, E>) return true;
  if constexpr (std::is_same_v<E, unsigned>) return std::is_integral_v<V> && sizeof(V) == sizeof(E);
  if constexpr (std::is_same_v<E, unsigned char>) return sizeof(V) == 1;
  if constexpr (std::is_same_v<V, double> || std::is_same_v<V, float> || std::is_same_v<V, __half> ||
                std::is_same_v<V, __nv_bfloat16>)
    return false;
  if constexpr (std::is_integral_v<V>) return sizeof(V) == sizeof(E) && sizeof(E) == 2;
  return sizeof(V) % sizeof(E) == 0;
}

// A tensor of elements E as an argument: becomes the kernel's pointer type, if that is made of E.
template <class E>
class Tensor {
 public:
  explicit Tensor(void* data) : data_(data) {}
  template <class U>
  operator U*() const {
    static_assert(is_made_of<U, E>(), "the kernel's parameter points to another type than the tensor's elements");
    return static_cast<U*>(data_);
  }
  friend Tensor operator+(Tensor tensor, int64_t elements) { return Tensor(static_cast<E*>(tensor.data_) + elements); }

 private:
  void* data_;
};

// Scratch memory, whatever the kernel keeps in it.
struct Workspace {
  void* data;
  template <class U>
  operator U*() const {
    return static_cast<U*>(data);
  }
  friend Workspace operator+(Workspace workspace, int64_t bytes) {
    return {static_cast<char*>(workspace.data) + bytes};
  }
};

inline int64_t ceil_div(int64_t a, int64_t b) { return b > 0 ? (a + b - 1) / b : 0; }

using std::max;
using std::min;
inline int64_t min(int64_t a, int b) { return a < b ? a : b; }
inline int64_t min(int a, int64_t b) { return a < b ? a : b; }
inline int64_t max(int64_t a, int b) { return a > b ? a : b; }
inline int64_t max(int a, int64_t b) { return a > b ? a : b; }

// Clears an output in whole words and the rest in bytes, as the caller of a kernel that adds to it does.
__global__ inline void clear(unsigned char* out, int64_t bytes) {
  const int64_t word = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (word * 4 + 4 <= bytes)
    reinterpret_cast<uint32_t*>(out)[word] = 0;
  else
    for (int64_t i = word * 4; i < bytes; ++i) out[i] = 0;
}

inline void clear_output(const Call& call, std::string_view name) {
  for (const Call::Buffer& buffer : call.buffers())
    if (buffer.name == name && buffer.bytes > 0)
      launch(clear, {.grid = dim3(assay::ceil_div(assay::ceil_div(buffer.bytes, 4), 256)), .block = dim3(256)},
             static_cast<unsigned char*>(buffer.data), buffer.bytes);
}

// kernel<<<grid, block, shared>>>(arguments…). An empty grid launches nothing: callers in CUDA guard against that.
template <class... Params>
void run(void (*kernel)(Params...), dim3 grid, dim3 block, int64_t shared, std::type_identity_t<Params>... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  launch(kernel, {.grid = grid, .block = block, .shared_bytes = static_cast<size_t>(std::max<int64_t>(shared, 0))},
         arguments...);
}

inline dim3 extents(int64_t x, int64_t y = 1, int64_t z = 1) {
  return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
}

// Requirements are mostly divisibilities: moves the dims up to multiples of 2, 4, … until the case is supported; leaves
// it alone when none helps.
inline void move_to_supported(Case& c, const std::vector<std::string>& dims,
                              std::optional<std::string> (*unsupported)(const Case&)) {
  if (!unsupported(c)) return;
  const auto rounded_up = [](Case& from, const std::string& dim, int64_t multiple) {
    from.set(dim, std::to_string(assay::adapter::ceil_div(std::max<int64_t>(from.dim(dim), 1), multiple) * multiple));
  };
  for (int64_t multiple = 2; multiple <= 256; multiple *= 2) {
    Case all = c;
    for (const std::string& dim : dims) {
      Case one = c;
      rounded_up(one, dim, multiple);
      rounded_up(all, dim, multiple);
      for (Case* moved : {&one, &all})
        if (!unsupported(*moved)) {
          c = std::move(*moved);
          return;
        }
    }
  }
}

}  // namespace assay::adapter
