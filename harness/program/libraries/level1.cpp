// The arithmetic on vectors.
#include "harness/program/libraries/level1.h"

#include <algorithm>
#include <cmath>

namespace assay::program {
namespace {

// Work on vectors, which are looked at first: `reads` and `writes`, with their names.
struct Named {
  const char* name;
  Vector vector;
};

bool can_use(GpuProcess& process, const char* call, int64_t n, std::initializer_list<Named> reads,
             std::initializer_list<Named> writes) {
  return std::ranges::all_of(
             reads, [&](const Named& each) { return can_read(process, call, each.vector.operand(each.name, n)); }) &&
         std::ranges::all_of(
             writes, [&](const Named& each) { return can_write(process, call, each.vector.operand(each.name, n)); });
}

void store_result(const Target& target, double value) {
  if (target.is_index_64)
    *static_cast<int64_t*>(target.address) = static_cast<int64_t>(value);
  else
    store(target.type, target.address, 0, value);
}

// `compute` is given nothing, and returns the number; the vectors are looked at before.
template <class Compute>
cublasStatus_t give(cublasHandle_t handle, const char* name, int64_t n, std::initializer_list<Named> given,
                    Target target, Compute compute) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (target.address == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const std::vector<Named> vectors(given);
  const bool to_device = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
  const auto body = [=](GpuProcess& process) {
    const Operand result{"result", target.address, target.is_index_64 ? sizeof(int64_t) : bytes_of(target.type), 1, 1,
                         1};
    for (const Named& each : vectors)
      if (!can_read(process, name, each.vector.operand(each.name, n))) return cudaErrorInvalidValue;
    if (to_device ? !can_write(process, name, result)
                  : is_device_memory(target.address) && found_for_host(process, name, "the result"))
      return cudaErrorInvalidValue;
    store_result(target, compute());
    if (to_device) wrote(result);
    return cudaSuccess;
  };
  return to_device ? submit_library(name, handle->stream, body) : do_for_host(name, handle->stream, body);
}

}  // namespace

cublasStatus_t add_scaled(cublasHandle_t handle, const char* name, int64_t n, Number scalar, const void* alpha,
                          Vector x, Vector y) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar by(handle->pointer_mode, scalar, alpha);
  return submit_library(name, handle->stream, [=](GpuProcess& process) {
    double factor = 0;
    if (!by.read(process, name, "alpha", factor) || !can_use(process, name, n, {{"x", x}, {"y", y}}, {{"y", y}}))
      return cudaErrorInvalidValue;
    for (int64_t i = 0; i < n; ++i) y.set(i, n, factor * x.at(i, n) + y.at(i, n));
    wrote(y.operand("y", n));
    return cudaSuccess;
  });
}

cublasStatus_t scale(cublasHandle_t handle, const char* name, int64_t n, Number scalar, const void* alpha, Vector x) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Scalar by(handle->pointer_mode, scalar, alpha);
  return submit_library(name, handle->stream, [=](GpuProcess& process) {
    double factor = 0;
    if (!by.read(process, name, "alpha", factor) || !can_use(process, name, n, {{"x", x}}, {{"x", x}}))
      return cudaErrorInvalidValue;
    for (int64_t i = 0; i < n; ++i) x.set(i, n, factor * x.at(i, n));
    wrote(x.operand("x", n));
    return cudaSuccess;
  });
}

cublasStatus_t copy(cublasHandle_t handle, const char* name, int64_t n, Vector x, Vector y) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  return submit_library(name, handle->stream, [=](GpuProcess& process) {
    if (!can_use(process, name, n, {{"x", x}}, {{"y", y}})) return cudaErrorInvalidValue;
    for (int64_t i = 0; i < n; ++i) y.set(i, n, x.at(i, n));
    wrote(y.operand("y", n));
    return cudaSuccess;
  });
}

cublasStatus_t swap(cublasHandle_t handle, const char* name, int64_t n, Vector x, Vector y) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  return submit_library(name, handle->stream, [=](GpuProcess& process) {
    if (!can_use(process, name, n, {{"x", x}, {"y", y}}, {{"x", x}, {"y", y}})) return cudaErrorInvalidValue;
    for (int64_t i = 0; i < n; ++i) {
      const double of_x = x.at(i, n);
      x.set(i, n, y.at(i, n));
      y.set(i, n, of_x);
    }
    return cudaSuccess;
  });
}

cublasStatus_t dot(cublasHandle_t handle, const char* name, int64_t n, Vector x, Vector y, Target target) {
  return give(handle, name, n, {{"x", x}, {"y", y}}, target, [=] {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += x.at(i, n) * y.at(i, n);
    return sum;
  });
}

cublasStatus_t norm(cublasHandle_t handle, const char* name, Norm which, int64_t n, Vector x, Target target) {
  if (x.step <= 0) n = 0;
  return give(handle, name, n, {{"x", x}}, target, [=] {
    double sum = 0, largest = 0;
    for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(x.at(i, n)));
    if (which == Norm::sum_of_magnitudes) {
      for (int64_t i = 0; i < n; ++i) sum += std::abs(x.at(i, n));
      return sum;
    }
    // Scaled, so that no square overflows; as it is where all is zero, or a number is infinite or none.
    const double unit = largest > 0 && std::isfinite(largest) ? largest : 1;
    for (int64_t i = 0; i < n; ++i) sum += (x.at(i, n) / unit) * (x.at(i, n) / unit);
    return std::sqrt(sum) * unit;
  });
}

cublasStatus_t find_extreme(cublasHandle_t handle, const char* name, Extreme which, int64_t n, Vector x,
                            Target target) {
  if (x.step <= 0) n = 0;
  return give(handle, name, n, {{"x", x}}, target, [=] {
    int64_t found = 0;
    double best = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double magnitude = std::abs(x.at(i, n));
      const bool is_better = which == Extreme::largest ? magnitude > best : magnitude < best;
      if (i == 0 || is_better) best = magnitude, found = i + 1;
    }
    return static_cast<double>(found);
  });
}

}  // namespace assay::program
