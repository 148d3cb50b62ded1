// The segmented sort, instantiated once for each dtype.
#include "reference/vendor/cub/row_sort.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/version.cuh>

#include "harness/device/cuda/vendor_libraries.h"
#include "harness/op/variant.h"

namespace assay::vendor {
namespace {

const RegisterVendorLibrary kVersion("CUB", []() -> std::optional<std::string> {
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
});

__global__ void number_columns(uint32_t* columns, int64_t count, int64_t cols) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i < count) columns[i] = static_cast<uint32_t>(i % cols);
}

struct RowBegin {
  int64_t cols;
  __host__ __device__ int64_t operator()(int64_t row) const { return row * cols; }
};

}  // namespace

cudaError_t RowSort::sort(const void* matrix, void* temporary, size_t& temporary_bytes) {
  const auto stream = static_cast<cudaStream_t>(current_stream());
  const auto begins = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), RowBegin{cols_});
  const auto sort_as = [&]<class T>() {
    return cub::DeviceSegmentedRadixSort::SortPairsDescending(
        temporary, temporary_bytes, static_cast<const T*>(matrix), static_cast<T*>(values_.get()),
        static_cast<const uint32_t*>(own_columns_.get()), static_cast<uint32_t*>(columns_.get()),
        static_cast<int>(rows_ * cols_), static_cast<int>(rows_), begins, begins + 1, 0, 8 * sizeof(T), stream);
  };
  if (dtype_ == DType::f32) return sort_as.template operator()<float>();
  if (dtype_ == DType::bf16) return sort_as.template operator()<__nv_bfloat16>();
  return sort_as.template operator()<__half>();
}

Result<RowSort> RowSort::make(DType dtype, int64_t rows, int64_t cols) {
  RowSort made(dtype, rows, cols);
  const int64_t count = rows * cols;
  for (Scratch* part : {&made.own_columns_, &made.columns_, &made.values_}) {
    auto memory = allocate_scratch(static_cast<size_t>(count) * sizeof(uint32_t));  // no dtype is wider
    if (!memory) return tl::unexpected(memory.error());
    *part = std::move(*memory);
  }
  constexpr unsigned kBlock = 256;
  launch(number_columns, {.grid = dim3(ceil_div(count, kBlock)), .block = dim3(kBlock)},
         static_cast<uint32_t*>(made.own_columns_.get()), count, cols);
  if (const cudaError_t error = made.sort(nullptr, nullptr, made.temporary_bytes_); error != cudaSuccess) {
    cudaGetLastError();
    return fail(std::string("cub::DeviceSegmentedRadixSort: ") + cudaGetErrorString(error));
  }
  auto temporary = allocate_scratch(made.temporary_bytes_);
  if (!temporary) return tl::unexpected(temporary.error());
  made.temporary_ = std::move(*temporary);
  return made;
}

bool RowSort::run(const void* matrix) {
  return !note_if_refused("cub::DeviceSegmentedRadixSort", sort(matrix, temporary_.get(), temporary_bytes_));
}

std::optional<std::string> too_many_to_sort(int64_t rows, int64_t cols) {
  if (cols == 0 || rows <= INT32_MAX / cols) return std::nullopt;
  return "CUB's segmented sort takes at most 2^31 - 1 elements";
}

}  // namespace assay::vendor
