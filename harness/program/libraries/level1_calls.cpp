// The forms of the calls on vectors: by the letter of a type or by types, with integers of 32 and of 64 bits.
#include "harness/program/libraries/level1.h"
#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

bool is_float(Number type) {
  return type == Number::f16 || type == Number::bf16 || type == Number::f32 || type == Number::f64;
}

template <class... Types>
bool are_floats(Types... types) {
  return (is_float(types) && ...);
}

}  // namespace

#define ASSAY_LEVEL1(S, suffix, Int, T, type)                                                                       \
  ASSAY_EXPORTED cublasStatus_t cublas##S##axpy##suffix(cublasHandle_t handle, Int n, const T* alpha, const T* x,   \
                                                        Int x_step, T* y, Int y_step) {                             \
    return add_scaled(handle, "cublas" #S "axpy", n, type, alpha, {x, type, x_step}, {y, type, y_step});            \
  }                                                                                                                 \
  ASSAY_EXPORTED cublasStatus_t cublas##S##scal##suffix(cublasHandle_t handle, Int n, const T* alpha, T* x,         \
                                                        Int x_step) {                                               \
    return scale(handle, "cublas" #S "scal", n, type, alpha, {x, type, x_step});                                    \
  }                                                                                                                 \
  ASSAY_EXPORTED cublasStatus_t cublas##S##copy##suffix(cublasHandle_t handle, Int n, const T* x, Int x_step, T* y, \
                                                        Int y_step) {                                               \
    return copy(handle, "cublas" #S "copy", n, {x, type, x_step}, {y, type, y_step});                               \
  }                                                                                                                 \
  ASSAY_EXPORTED cublasStatus_t cublas##S##swap##suffix(cublasHandle_t handle, Int n, T* x, Int x_step, T* y,       \
                                                        Int y_step) {                                               \
    return swap(handle, "cublas" #S "swap", n, {x, type, x_step}, {y, type, y_step});                               \
  }                                                                                                                 \
  ASSAY_EXPORTED cublasStatus_t cublas##S##dot##suffix(cublasHandle_t handle, Int n, const T* x, Int x_step,        \
                                                       const T* y, Int y_step, T* result) {                         \
    return dot(handle, "cublas" #S "dot", n, {x, type, x_step}, {y, type, y_step}, {result, type});                 \
  }                                                                                                                 \
  ASSAY_EXPORTED cublasStatus_t cublas##S##nrm2##suffix(cublasHandle_t handle, Int n, const T* x, Int x_step,       \
                                                        T* result) {                                                \
    return norm(handle, "cublas" #S "nrm2", Norm::euclidean, n, {x, type, x_step}, {result, type});                 \
  }                                                                                                                 \
  ASSAY_EXPORTED cublasStatus_t cublas##S##asum##suffix(cublasHandle_t handle, Int n, const T* x, Int x_step,       \
                                                        T* result) {                                                \
    return norm(handle, "cublas" #S "asum", Norm::sum_of_magnitudes, n, {x, type, x_step}, {result, type});         \
  }
ASSAY_LEVEL1(S, _v2, int, float, Number::f32)
ASSAY_LEVEL1(S, _v2_64, int64_t, float, Number::f32)
ASSAY_LEVEL1(D, _v2, int, double, Number::f64)
ASSAY_LEVEL1(D, _v2_64, int64_t, double, Number::f64)
#undef ASSAY_LEVEL1

#define ASSAY_EXTREME(name, which, suffix, Int, T, type, is_64)                                                      \
  ASSAY_EXPORTED cublasStatus_t cublas##name##suffix(cublasHandle_t handle, Int n, const T* x, Int x_step,           \
                                                     Int* result) {                                                  \
    return find_extreme(handle, "cublas" #name, Extreme::which, n, {x, type, x_step}, {result, Number::i32, is_64}); \
  }
ASSAY_EXTREME(Isamax, largest, _v2, int, float, Number::f32, false)
ASSAY_EXTREME(Isamax, largest, _v2_64, int64_t, float, Number::f32, true)
ASSAY_EXTREME(Idamax, largest, _v2, int, double, Number::f64, false)
ASSAY_EXTREME(Idamax, largest, _v2_64, int64_t, double, Number::f64, true)
ASSAY_EXTREME(Isamin, smallest, _v2, int, float, Number::f32, false)
ASSAY_EXTREME(Isamin, smallest, _v2_64, int64_t, float, Number::f32, true)
ASSAY_EXTREME(Idamin, smallest, _v2, int, double, Number::f64, false)
ASSAY_EXTREME(Idamin, smallest, _v2_64, int64_t, double, Number::f64, true)
#undef ASSAY_EXTREME

// The type in which such a call computes may be any that is as wide as its vectors.
#define ASSAY_LEVEL1_EX(suffix, Int)                                                                                  \
  ASSAY_EXPORTED cublasStatus_t cublasAxpyEx##suffix(cublasHandle_t handle, Int n, const void* alpha,                 \
                                                     Number alpha_type, const void* x, Number x_type, Int x_step,     \
                                                     void* y, Number y_type, Int y_step, Number) {                    \
    if (!are_floats(alpha_type, x_type, y_type)) return CUBLAS_STATUS_NOT_SUPPORTED;                                  \
    return add_scaled(handle, "cublasAxpyEx", n, alpha_type, alpha, {x, x_type, x_step}, {y, y_type, y_step});        \
  }                                                                                                                   \
  ASSAY_EXPORTED cublasStatus_t cublasScalEx##suffix(cublasHandle_t handle, Int n, const void* alpha,                 \
                                                     Number alpha_type, void* x, Number x_type, Int x_step, Number) { \
    if (!are_floats(alpha_type, x_type)) return CUBLAS_STATUS_NOT_SUPPORTED;                                          \
    return scale(handle, "cublasScalEx", n, alpha_type, alpha, {x, x_type, x_step});                                  \
  }                                                                                                                   \
  ASSAY_EXPORTED cublasStatus_t cublasDotEx##suffix(cublasHandle_t handle, Int n, const void* x, Number x_type,       \
                                                    Int x_step, const void* y, Number y_type, Int y_step,             \
                                                    void* result, Number result_type, Number) {                       \
    if (!are_floats(x_type, y_type, result_type)) return CUBLAS_STATUS_NOT_SUPPORTED;                                 \
    return dot(handle, "cublasDotEx", n, {x, x_type, x_step}, {y, y_type, y_step}, {result, result_type});            \
  }                                                                                                                   \
  ASSAY_EXPORTED cublasStatus_t cublasNrm2Ex##suffix(cublasHandle_t handle, Int n, const void* x, Number x_type,      \
                                                     Int x_step, void* result, Number result_type, Number) {          \
    if (!are_floats(x_type, result_type)) return CUBLAS_STATUS_NOT_SUPPORTED;                                         \
    return norm(handle, "cublasNrm2Ex", Norm::euclidean, n, {x, x_type, x_step}, {result, result_type});              \
  }                                                                                                                   \
  ASSAY_EXPORTED cublasStatus_t cublasAsumEx##suffix(cublasHandle_t handle, Int n, const void* x, Number x_type,      \
                                                     Int x_step, void* result, Number result_type, Number) {          \
    if (!are_floats(x_type, result_type)) return CUBLAS_STATUS_NOT_SUPPORTED;                                         \
    return norm(handle, "cublasAsumEx", Norm::sum_of_magnitudes, n, {x, x_type, x_step}, {result, result_type});      \
  }
ASSAY_LEVEL1_EX(, int)
ASSAY_LEVEL1_EX(_64, int64_t)
#undef ASSAY_LEVEL1_EX

}  // namespace assay::program
