// The names of PyTorch's C++ interface that files around kernels use, for reading where PyTorch is not installed:
// enough for a launch to be understood, whose element types AT_DISPATCH macros choose. Nothing here is ever run.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cassert>
#include <initializer_list>
#include <optional>
#include <tuple>

namespace c10 {
using Half = __half;
using BFloat16 = __nv_bfloat16;
enum class ScalarType { Byte, Char, Short, Int, Long, Half, Float, Double, Bool, BFloat16, Float8_e4m3fn };
enum DeviceType { CPU, CUDA };
template <ScalarType>
struct type_of {
  using type = float;
};
#define ASSAY_READ_TYPE(scalar, ...)   \
  template <>                          \
  struct type_of<ScalarType::scalar> { \
    using type = __VA_ARGS__;          \
  };
ASSAY_READ_TYPE(Byte, unsigned char)
ASSAY_READ_TYPE(Char, signed char)
ASSAY_READ_TYPE(Short, short)
ASSAY_READ_TYPE(Int, int)
ASSAY_READ_TYPE(Long, long)
ASSAY_READ_TYPE(Half, Half)
ASSAY_READ_TYPE(Double, double)
ASSAY_READ_TYPE(Bool, bool)
ASSAY_READ_TYPE(BFloat16, BFloat16)
struct Device {
  int index() const;
  DeviceType type() const;
  bool operator==(const Device&) const;
};
template <class T>
using optional = std::optional<T>;
inline constexpr std::nullopt_t nullopt = std::nullopt;
template <class T>
struct ArrayRef {
  ArrayRef(std::initializer_list<T>);
  size_t size() const;
  T operator[](size_t) const;
  const T* begin() const;
  const T* end() const;
};
using IntArrayRef = ArrayRef<int64_t>;
}  // namespace c10

namespace at {
using namespace c10;
template <class T>
struct OpMathType {
  using type = T;
};
template <>
struct OpMathType<Half> {
  using type = float;
};
template <>
struct OpMathType<BFloat16> {
  using type = float;
};
template <class T>
using opmath_type = typename OpMathType<T>::type;
template <class T, bool>
using acc_type = opmath_type<T>;
struct TensorOptions {
  TensorOptions(ScalarType = ScalarType::Float);
  template <class T>
  TensorOptions dtype(T) const;
  template <class T>
  TensorOptions device(T) const;
};
struct Tensor {
  template <class T = void>
  T* data_ptr() const;
  template <class T = void>
  T* mutable_data_ptr() const;
  template <class T = void>
  const T* const_data_ptr() const;
  template <class T>
  T* data() const;
  template <class T>
  T item() const;
  int64_t size(int64_t) const;
  int64_t stride(int64_t) const;
  int64_t numel() const;
  int64_t dim() const;
  int64_t ndimension() const;
  int64_t element_size() const;
  int64_t storage_offset() const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  ScalarType scalar_type() const;
  ScalarType dtype() const;
  ScalarType type() const;
  Device device() const;
  int get_device() const;
  TensorOptions options() const;
  bool is_cuda() const;
  bool is_contiguous() const;
  bool defined() const;
  bool has_value() const;
  Tensor contiguous() const;
  Tensor zero_() const;
  template <class... T>
  Tensor to(T...) const;
  template <class... T>
  Tensor view(T...) const;
  Tensor view(IntArrayRef) const;
  template <class... T>
  Tensor reshape(T...) const;
  Tensor reshape(IntArrayRef) const;
  template <class... T>
  Tensor transpose(T...) const;
  template <class... T>
  Tensor permute(T...) const;
  Tensor select(int64_t, int64_t) const;
  Tensor unsqueeze(int64_t) const;
  Tensor squeeze(int64_t) const;
  Tensor flatten(int64_t = 0, int64_t = -1) const;
  Tensor clone() const;
};
inline constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kInt = ScalarType::Int,
                            kInt32 = ScalarType::Int, kLong = ScalarType::Long, kInt64 = ScalarType::Long,
                            kHalf = ScalarType::Half, kFloat16 = ScalarType::Half, kFloat = ScalarType::Float,
                            kFloat32 = ScalarType::Float, kDouble = ScalarType::Double, kBool = ScalarType::Bool,
                            kBFloat16 = ScalarType::BFloat16, kUInt8 = ScalarType::Byte, kInt8 = ScalarType::Char;
inline constexpr DeviceType kCUDA = DeviceType::CUDA, kCPU = DeviceType::CPU;
template <class... T>
Tensor empty(IntArrayRef, T...);
template <class... T>
Tensor zeros(IntArrayRef, T...);
template <class... T>
Tensor ones(IntArrayRef, T...);
template <class... T>
Tensor full(IntArrayRef, T...);
template <class... T>
Tensor empty_like(const Tensor&, T...);
template <class... T>
Tensor zeros_like(const Tensor&, T...);
template <class... T>
Tensor ones_like(const Tensor&, T...);
struct DeviceProperties {
  int multiProcessorCount, maxThreadsPerBlock, sharedMemPerBlock, major, minor;
};
template <class T>
std::optional<Device> device_of(const T&);
namespace cuda {
struct Stream {
  operator cudaStream_t() const;
  cudaStream_t stream() const;
};
Stream getCurrentCUDAStream(int = 0);
Stream getDefaultCUDAStream(int = 0);
DeviceProperties* getCurrentDeviceProperties();
template <class T>
struct Guard {
  template <class U>
  Guard(const U&);
};
using OptionalCUDAGuard = Guard<int>;
using CUDAGuard = Guard<long>;
}  // namespace cuda
}  // namespace at

namespace c10::cuda {
using at::cuda::CUDAGuard;
using at::cuda::getCurrentCUDAStream;
using at::cuda::OptionalCUDAGuard;
}  // namespace c10::cuda

namespace torch {
using namespace at;
using at::Tensor;
inline constexpr ScalarType float32 = kFloat, float16 = kHalf, bfloat16 = kBFloat16, int32 = kInt, int64 = kLong;
template <class T>
TensorOptions dtype(T);
}  // namespace torch

#define TORCH_CHECK(condition, ...) assay_read_requires(static_cast<bool>(condition))
#define AT_ASSERTM TORCH_CHECK
#define AT_ASSERT TORCH_CHECK
#define TORCH_INTERNAL_ASSERT TORCH_CHECK
#define AT_ERROR(...) assay_read_requires(false)
#define AT_CUDA_CHECK(...) (void)(__VA_ARGS__)
#define C10_CUDA_CHECK(...) (void)(__VA_ARGS__)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() (void)0
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_RESTRICT __restrict__
#define C10_WARP_SIZE 32
#define CUDA_KERNEL_ASSERT(...) assert(__VA_ARGS__)
#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define CUDA_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define AT_DISPATCH_SWITCH(type, name, ...) [&] { __VA_ARGS__ }()
#define AT_DISPATCH_CASE(which, ...)                     \
  {                                                      \
    using scalar_t = typename c10::type_of<which>::type; \
    (void)sizeof(scalar_t);                              \
    __VA_ARGS__();                                       \
  }
#define ASSAY_READ_FLOATS(...) AT_DISPATCH_CASE(at::ScalarType::Float, __VA_ARGS__)
#define ASSAY_READ_HALVES(...) \
  AT_DISPATCH_CASE(at::ScalarType::Half, __VA_ARGS__) AT_DISPATCH_CASE(at::ScalarType::BFloat16, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES ASSAY_READ_FLOATS
#define AT_DISPATCH_FLOATING_TYPES(type, name, ...) [&] { ASSAY_READ_FLOATS(__VA_ARGS__) }()
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, name, ...) \
  [&] { ASSAY_READ_FLOATS(__VA_ARGS__) AT_DISPATCH_CASE(at::ScalarType::Half, __VA_ARGS__) }()
#define AT_DISPATCH_FLOATING_TYPES_AND(other, type, name, ...) \
  [&] { ASSAY_READ_FLOATS(__VA_ARGS__) AT_DISPATCH_CASE(other, __VA_ARGS__) }()
#define AT_DISPATCH_FLOATING_TYPES_AND2(one, other, type, name, ...) \
  [&] { ASSAY_READ_FLOATS(__VA_ARGS__) AT_DISPATCH_CASE(one, __VA_ARGS__) AT_DISPATCH_CASE(other, __VA_ARGS__) }()
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(type, name, ...) [&] { ASSAY_READ_HALVES(__VA_ARGS__) }()
#define AT_DISPATCH_INTEGRAL_TYPES(type, name, ...) [&] { AT_DISPATCH_CASE(at::ScalarType::Int, __VA_ARGS__) }()
#define AT_DISPATCH_ALL_TYPES AT_DISPATCH_FLOATING_TYPES
#define TORCH_LIBRARY(name, m) [[maybe_unused]] static void name##_of_library(auto& m)
#define PYBIND11_MODULE TORCH_LIBRARY
#define TORCH_EXTENSION_NAME extension
