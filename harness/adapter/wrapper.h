// The parts that the generated file around a user's kernel needs (harness/adapter/build/generate.cpp writes that file).
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/adapter/narrow_argument.h"
#include "harness/op/wrapped_variant.h"
#if defined(ASSAY_CPU_KERNEL)
#include "harness/simt/include/simt/device_memory.h"
#include "harness/simt/include/simt/skipped_call.h"
#endif

namespace assay::adapter {

// Device memory, from the host. A copy that does not initialise leaves outputs as unwritten as they were.
#if defined(__CUDACC__)
inline void* new_on_device(size_t bytes, size_t) {
  void* memory = nullptr;
  cudaMalloc(&memory, bytes);
  return memory;
}
inline void free_on_device(void* memory) { cudaFree(memory); }
inline void from_device(void* host, const void* device, size_t bytes) {
  cudaStreamSynchronize(static_cast<cudaStream_t>(current_stream()));
  cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);
}
inline void to_device(void* device, const void* host, size_t bytes, bool) {
  cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
}
#else
inline void* new_on_device(size_t bytes, size_t element) {
  return simt::device_allocate(bytes, element, "a copy of an argument");
}
inline void free_on_device(void* memory) { simt::device_free(memory); }
inline void from_device(void* host, const void* device, size_t bytes) {
  simt::device_copy(host, device, bytes, "an argument");
}
inline void to_device(void* device, const void* host, size_t bytes, bool initialises) {
  simt::device_copy(device, host, bytes, "an argument", initialises);
}
#endif

// Whether a pointer to U is one to elements of type E: E itself, its bits as an integer of the same size, or several at
// once (half2, float4, uint4, …). A char is a byte of anything, for kernels whose strides count bytes; bytes are also
// those of a struct, as blocks of a quantised format are declared.
template <class U, class E>
constexpr bool is_made_of() {
  using V = std::remove_cv_t<U>;
  if constexpr (std::is_void_v<V> || std::is_same_v<V, E> || std::is_same_v<V, char>) return true;
  if constexpr (std::is_same_v<E, unsigned>) return std::is_integral_v<V> && sizeof(V) == sizeof(E);
  if constexpr (std::is_same_v<E, unsigned long long>) return std::is_integral_v<V> && sizeof(V) == sizeof(E);
  if constexpr (std::is_same_v<E, unsigned char>)
    return sizeof(V) == 1 || (std::is_class_v<V> && !std::is_same_v<V, __half> && !std::is_same_v<V, __nv_bfloat16>);
  if constexpr (std::is_same_v<V, double> || std::is_same_v<V, float> || std::is_same_v<V, __half> ||
                std::is_same_v<V, __nv_bfloat16>)
    return false;
  if constexpr (std::is_integral_v<V>) return sizeof(V) == sizeof(E) && sizeof(E) == 2;
  return sizeof(V) % sizeof(E) == 0;
}

enum class Written { never, only, also };  // only: an output, whose elements hold nothing before

// A tensor of elements E as an argument: becomes the kernel's pointer type, if that is made of E.
template <class E>
class Tensor {
 public:
  Tensor(const Call& call, std::string_view name, Written written_) : written(written_) {
    if (const Call::Buffer* buffer = buffer_of(call, name))
      data = static_cast<E*>(buffer->data), shape = &buffer->shape;
  }
  template <class U>
  operator U*() const {
    return as_pointer<U>(data);
  }
  template <class U>
  static U* as_pointer(E* to) {
    static_assert(is_made_of<U, E>(), "the kernel's parameter points to another type than the tensor's elements");
    return reinterpret_cast<U*>(to);
  }
  friend Tensor operator+(Tensor tensor, int64_t elements) {
    tensor.data += elements;
    return tensor;
  }
  E operator[](int64_t element) const {
    E value;
    from_device(&value, data + element, sizeof value);
    return value;
  }

  E* data = nullptr;
  const std::vector<int64_t>* shape = nullptr;  // null: there is no such tensor
  Written written;
};

// An element as another type: of floats the same number or the nearest, of whole numbers the same.
template <class To, class E>
To as_element(E element) {
  if constexpr (std::is_same_v<To, E>) return element;
  if constexpr (std::is_integral_v<E>) return static_cast<To>(static_cast<std::make_signed_t<E>>(element));
  return static_cast<To>(static_cast<float>(element));
}

// A copy of a tensor with elements of type To, two of its axes exchanged or with some of its columns alone, for as long
// as the launch that it is an argument of. The kernel's writes go back to the tensor.
template <class To, class E>
class Copied {
 public:
  Copied(const Tensor<E>& tensor, size_t a, size_t b) : Copied(tensor) {
    if (a < extents_.size() && b < extents_.size()) {
      std::swap(extents_[a], extents_[b]);
      std::swap(strides_[a], strides_[b]);
    }
    fill();
  }
  struct Columns {
    int64_t first, count;  // of the last axis; what the tensor lacks of them the copy lacks, too
  };
  Copied(const Tensor<E>& tensor, Columns columns) : Copied(tensor) {
    if (!extents_.empty()) {
      first_ = std::clamp<int64_t>(columns.first, 0, extents_.back());
      extents_.back() = std::clamp<int64_t>(columns.count, 0, extents_.back() - first_);
    }
    fill();
  }
  ~Copied() {
    if (tensor_.written != Written::never) {
      std::vector<To> from(count_);
      std::vector<E> to(whole_);
      from_device(from.data(), data_, count_ * sizeof(To));
      for (size_t i = 0; i < count_; ++i) to[place(i)] = as_element<E>(from[i]);
      const size_t run = count_ == whole_ ? whole_ : static_cast<size_t>(extents_.back());  // of neighbours
      for (size_t i = 0; i < count_; i += run)
        to_device(tensor_.data + (run == whole_ ? 0 : place(i)), to.data() + (run == whole_ ? 0 : place(i)),
                  run * sizeof(E), true);
    }
    free_on_device(data_);
  }
  Copied(const Copied&) = delete;
  Copied& operator=(const Copied&) = delete;

  template <class U>
  operator U*() const {
    return Tensor<To>::template as_pointer<U>(data_);
  }

 private:
  explicit Copied(const Tensor<E>& tensor) : tensor_(tensor) {
    if (tensor.shape) extents_ = *tensor.shape;
    strides_.resize(extents_.size(), 1);
    for (size_t axis = strides_.size(); axis-- > 1;) strides_[axis - 1] = strides_[axis] * extents_[axis];
    for (const int64_t extent : extents_) whole_ *= static_cast<size_t>(extent);
  }
  void fill() {
    for (const int64_t extent : extents_) count_ *= static_cast<size_t>(extent);
    std::vector<E> from(whole_);
    std::vector<To> to(count_);
    from_device(from.data(), tensor_.data, whole_ * sizeof(E));
    for (size_t i = 0; i < count_; ++i) to[i] = as_element<To>(from[place(i)]);
    data_ = static_cast<To*>(new_on_device(count_ * sizeof(To), sizeof(To)));
    to_device(data_, to.data(), count_ * sizeof(To), tensor_.written != Written::only);
  }
  size_t place(size_t i) const {  // in the tensor, of element i of the copy
    auto rest = static_cast<int64_t>(i);
    int64_t at = first_;
    for (size_t axis = extents_.size(); axis-- > 0; rest /= extents_[axis])
      at += rest % extents_[axis] * strides_[axis];
    return static_cast<size_t>(at);
  }

  const Tensor<E>& tensor_;
  std::vector<int64_t> extents_, strides_;  // of the copy; strides in the tensor
  int64_t first_ = 0;                       // column
  size_t whole_ = 1, count_ = 1;            // elements of the tensor, and of the copy
  To* data_ = nullptr;
};
template <class E>
Copied<E, E> transposed(const Tensor<E>& tensor, size_t a, size_t b) {
  return {tensor, a, b};
}
template <class To, class E>
Copied<To, E> converted(const Tensor<E>& tensor) {
  return {tensor, 0, 0};
}
template <class E>
Copied<E, E> columns(const Tensor<E>& tensor, int64_t first, int64_t count) {
  return {tensor, typename Copied<E, E>::Columns{first, count}};
}

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

// A size of a case in what an adapter demands of it. Any size may be 0; a quotient by 0 is 0 here, and the rest all of
// it, so that a demand that divides by it ends no process.
class CaseSize {
 public:
  CaseSize(int64_t value) : value_(value) {}
  operator int64_t() const { return value_; }

 private:
  int64_t value_;
};
template <class A, class B>
concept HasCaseSize = (std::same_as<A, CaseSize> && (std::same_as<B, CaseSize> || std::integral<B>)) ||
                      (std::integral<A> && std::same_as<B, CaseSize>);
template <class A, class B>
requires HasCaseSize<A, B> CaseSize operator+(A a, B b) { return static_cast<int64_t>(a) + static_cast<int64_t>(b); }
template <class A, class B>
requires HasCaseSize<A, B> CaseSize operator-(A a, B b) { return static_cast<int64_t>(a) - static_cast<int64_t>(b); }
template <class A, class B>
requires HasCaseSize<A, B> CaseSize operator*(A a, B b) { return static_cast<int64_t>(a) * static_cast<int64_t>(b); }
template <class A, class B>
requires HasCaseSize<A, B> CaseSize operator/(A a, B b) {
  return b == 0 ? 0 : static_cast<int64_t>(a) / static_cast<int64_t>(b);
}
template <class A, class B>
requires HasCaseSize<A, B> CaseSize operator%(A a, B b) {
  return b == 0 ? static_cast<int64_t>(a) : static_cast<int64_t>(a) % static_cast<int64_t>(b);
}

inline int64_t ceil_div(int64_t a, int64_t b) { return b > 0 ? (a + b - 1) / b : 0; }

using std::max;
using std::min;
inline int64_t min(int64_t a, int b) { return a < b ? a : b; }
inline int64_t min(int a, int64_t b) { return a < b ? a : b; }
inline int64_t max(int64_t a, int b) { return a > b ? a : b; }
inline int64_t max(int a, int64_t b) { return a > b ? a : b; }

// Clears an output in whole words and the rest in bytes, as the caller of a kernel that adds to it does. One that
// begins between words has none.
__global__ inline void clear(unsigned char* out, int64_t bytes) {
  const int64_t word = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (word * 4 + 4 <= bytes && reinterpret_cast<uintptr_t>(out) % 4 == 0)
    reinterpret_cast<uint32_t*>(out)[word] = 0;
  else
    for (int64_t i = word * 4; i < bytes && i < word * 4 + 4; ++i) out[i] = 0;
}

inline void clear_scratch(void* workspace, int64_t bytes) {
  if (bytes > 0)
    launch(clear, {.grid = dim3(assay::ceil_div(assay::ceil_div(bytes, 4), 256)), .block = dim3(256)},
           static_cast<unsigned char*>(workspace), bytes);
}

inline void clear_output(const Call& call, std::string_view name) {
  if (const Call::Buffer* out = buffer_of(call, name)) clear_scratch(out->data, out->bytes);
}

// An output as a kernel that works in place finds it.
__global__ inline void copy(unsigned char* out, const unsigned char* in, int64_t bytes) {
  const int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at < bytes) out[at] = in[at];
}

// `input`: a tensor, or columns of one, of the output's size.
template <class Input>
void copy_input(const Call& call, std::string_view output, const Input& input) {
  if (const Call::Buffer* out = buffer_of(call, output); out && out->bytes > 0)
    launch(copy, {.grid = dim3(assay::ceil_div(out->bytes, 256)), .block = dim3(256)},
           static_cast<unsigned char*>(out->data), reinterpret_cast<const unsigned char*>(static_cast<char*>(input)),
           out->bytes);
}

// kernel<<<grid, block, shared>>>(arguments…). An empty grid or block launches nothing: callers in CUDA guard against
// that, and min(256, T) is 0 where there are no tokens.
template <class... Params>
void run(void (*kernel)(Params...), dim3 grid, dim3 block, int64_t shared, Argument<Params>... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) return;
#if defined(ASSAY_CPU_KERNEL)
  if ((is_cut_off(arguments) || ...)) return simt::skip_call(kCutOff);
#endif
  launch(kernel, {.grid = grid, .block = block, .shared_bytes = static_cast<size_t>(std::max<int64_t>(shared, 0))},
         passed(arguments)...);
}

// An extent that no launch can have stays one.
inline dim3 extents(int64_t x, int64_t y = 1, int64_t z = 1) {
  const auto whole = [](int64_t extent) { return static_cast<unsigned>(std::min<int64_t>(extent, UINT32_MAX)); };
  return dim3(whole(x), whole(y), whole(z));
}

// A host function of the user's, which launches. One that throws says that it does not take the case.
template <class F>
void call_launcher([[maybe_unused]] const Call& call, [[maybe_unused]] bool takes_64_bits, F launcher) {
#if defined(__CUDACC__)
  cudaStreamSynchronize(static_cast<cudaStream_t>(current_stream()));  // its launches go to streams of its own
  launcher();
  cudaDeviceSynchronize();
  note_if_refused({}, cudaGetLastError());
#else
  if (!takes_64_bits && may_be_cut_off(call.c())) return simt::skip_call(kCutOff);
  try {
    launcher();
  } catch (const std::exception& refusal) {  // what went wrong before, as a launch that was refused, counts for more
    simt::skip_call(("the launcher throws: " + std::string(refusal.what())).c_str());
  }
#endif
}

}  // namespace assay::adapter
