// The descriptions that cuBLASLt works with, as they lie in the structures that a program holds.
#pragma once

#include <cstdint>

#include "harness/program/libraries/abi_libraries.h"
#include "harness/program/number_types.h"

namespace assay::program {

struct LtLayout {
  Number type = Number::f32;
  cublasLtOrder_t order = CUBLASLT_ORDER_COL;
  uint64_t rows = 0, columns = 0;
  int64_t ld = 0;
  int32_t batches = 1;
  int64_t stride = 0;
};
static_assert(sizeof(LtLayout) <= sizeof(cublasLtMatrixLayoutOpaque_t));

struct LtMatmul {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  Number scale_type = Number::f32;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N, op_c = CUBLAS_OP_N;
  int32_t fill_mode = 2;  // the whole matrix
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
  int64_t bias_stride = 0;
  void* aux = nullptr;
  int64_t aux_ld = 0, aux_stride = 0;
  int32_t bias_type = -1, aux_type = -1;  // -1: the one that goes with the other types
  int32_t sm_count = 0;
  int8_t is_fast = 0;  // sums of fp8 products, which are not there
};
static_assert(sizeof(LtMatmul) <= sizeof(cublasLtMatmulDescOpaque_t));

// The description in a structure that was made by a call of cuBLASLt.
inline LtLayout& layout_in(cublasLtMatrixLayoutOpaque_t* opaque) { return *reinterpret_cast<LtLayout*>(opaque); }
inline LtMatmul& matmul_in(cublasLtMatmulDescOpaque_t* opaque) { return *reinterpret_cast<LtMatmul*>(opaque); }

}  // namespace assay::program
