// Calls of cuBLAS on vectors, by the types of their elements. All arithmetic is in double, rounded once.
#pragma once

#include "harness/program/libraries/blas_handle.h"

namespace assay::program {

// A vector as cuBLAS takes it: element i lies at i * step, counted from the other end where the step is negative.
struct Vector {
  const void* begin = nullptr;
  Number type = Number::f32;
  int64_t step = 1;

  Operand operand(const char* name, int64_t n) const { return vector_operand(name, begin, bytes_of(type), n, step); }
  int64_t index(int64_t i, int64_t n) const { return step < 0 ? (i - n + 1) * step : i * step; }
  double at(int64_t i, int64_t n) const { return load<double>(type, begin, index(i, n)); }
  void set(int64_t i, int64_t n, double value) const { store(type, const_cast<void*>(begin), index(i, n), value); }
};

// y += alpha x; x *= alpha; y = x; x and y change places.
cublasStatus_t add_scaled(cublasHandle_t handle, const char* name, int64_t n, Number scalar, const void* alpha,
                          Vector x, Vector y);
cublasStatus_t scale(cublasHandle_t handle, const char* name, int64_t n, Number scalar, const void* alpha, Vector x);
cublasStatus_t copy(cublasHandle_t handle, const char* name, int64_t n, Vector x, Vector y);
cublasStatus_t swap(cublasHandle_t handle, const char* name, int64_t n, Vector x, Vector y);

// A number that vectors come to, which the host or the device gets by the handle's pointer mode.
struct Target {
  void* address = nullptr;
  Number type = Number::f32;
  bool is_index_64 = false;  // an integer of 64 bits, of 32 where the type is i32
};
cublasStatus_t dot(cublasHandle_t handle, const char* name, int64_t n, Vector x, Vector y, Target target);
enum class Norm : uint8_t { euclidean, sum_of_magnitudes };
cublasStatus_t norm(cublasHandle_t handle, const char* name, Norm which, int64_t n, Vector x, Target target);
// The first element of the largest or smallest magnitude, counted from 1; 0 where there is none.
enum class Extreme : uint8_t { largest, smallest };
cublasStatus_t find_extreme(cublasHandle_t handle, const char* name, Extreme which, int64_t n, Vector x, Target target);

}  // namespace assay::program
