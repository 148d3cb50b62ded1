// Descriptions of cuBLASLt: made, and their attributes set and asked for.
#include "harness/program/libraries/blas_lt.h"

#include <cstring>
#include <new>

#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/process.h"

namespace assay::program {
namespace {

// The member that an attribute stands for.
struct Member {
  void* address = nullptr;
  size_t bytes = 0;
};
template <class T>
Member member(T& value) {
  return {&value, sizeof value};
}

Member member_of(LtLayout& layout, cublasLtMatrixLayoutAttribute_t attribute) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return member(layout.type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return member(layout.order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return member(layout.rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return member(layout.columns);
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return member(layout.ld);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return member(layout.batches);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return member(layout.stride);
  }
  return {};
}

Member member_of(LtMatmul& matmul, cublasLtMatmulDescAttributes_t attribute) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
      return member(matmul.compute);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
      return member(matmul.scale_type);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE:
      return member(matmul.pointer_mode);
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return member(matmul.op_a);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return member(matmul.op_b);
    case CUBLASLT_MATMUL_DESC_TRANSC:
      return member(matmul.op_c);
    case CUBLASLT_MATMUL_DESC_FILL_MODE:
      return member(matmul.fill_mode);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return member(matmul.epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return member(matmul.bias);
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
      return member(matmul.bias_stride);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
      return member(matmul.aux);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
      return member(matmul.aux_ld);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE:
      return member(matmul.aux_stride);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
      return member(matmul.bias_type);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE:
      return member(matmul.aux_type);
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
      return member(matmul.sm_count);
    case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
      return member(matmul.is_fast);
  }
  return {};
}

// An attribute that is not there is named at the end of the program.
cublasStatus_t not_there(const char* name, int attribute) {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  process.log().unsupported(std::string(name) + " of attribute " + std::to_string(attribute));
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t set(const char* name, const Member& member, int attribute, const void* value, size_t bytes) {
  if (member.address == nullptr) return not_there(name, attribute);
  if (value == nullptr || bytes != member.bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(member.address, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t get(const char* name, const Member& member, int attribute, void* value, size_t bytes, size_t* written) {
  if (member.address == nullptr) return not_there(name, attribute);
  if (written != nullptr) *written = member.bytes;
  if (bytes == 0 && written != nullptr) return CUBLAS_STATUS_SUCCESS;
  if (value == nullptr || bytes < member.bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, member.address, member.bytes);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

ASSAY_EXPORTED cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayoutOpaque_t* layout, size_t bytes,
                                                                Number type, uint64_t rows, uint64_t columns,
                                                                int64_t ld) {
  if (layout == nullptr || bytes < sizeof(LtLayout)) return CUBLAS_STATUS_INVALID_VALUE;
  new (layout) LtLayout{.type = type, .rows = rows, .columns = columns, .ld = ld};
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayoutOpaque_t** layout, Number type,
                                                         uint64_t rows, uint64_t columns, int64_t ld) {
  if (layout == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *layout = new cublasLtMatrixLayoutOpaque_t;
  return cublasLtMatrixLayoutInit_internal(*layout, sizeof **layout, type, rows, columns, ld);
}
ASSAY_EXPORTED cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayoutOpaque_t* layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayoutOpaque_t* layout,
                                                               cublasLtMatrixLayoutAttribute_t attribute,
                                                               const void* value, size_t bytes) {
  if (layout == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return set("cublasLtMatrixLayoutSetAttribute", member_of(layout_in(layout), attribute), attribute, value, bytes);
}
ASSAY_EXPORTED cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayoutOpaque_t* layout,
                                                               cublasLtMatrixLayoutAttribute_t attribute, void* value,
                                                               size_t bytes, size_t* written) {
  if (layout == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return get("cublasLtMatrixLayoutGetAttribute", member_of(layout_in(layout), attribute), attribute, value, bytes,
             written);
}

ASSAY_EXPORTED cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDescOpaque_t* matmul, size_t bytes,
                                                              cublasComputeType_t compute, Number scale_type) {
  if (matmul == nullptr || bytes < sizeof(LtMatmul)) return CUBLAS_STATUS_INVALID_VALUE;
  new (matmul) LtMatmul{.compute = compute, .scale_type = scale_type};
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDescOpaque_t** matmul, cublasComputeType_t compute,
                                                       Number scale_type) {
  if (matmul == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *matmul = new cublasLtMatmulDescOpaque_t;
  return cublasLtMatmulDescInit_internal(*matmul, sizeof **matmul, compute, scale_type);
}
ASSAY_EXPORTED cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDescOpaque_t* matmul) {
  delete matmul;
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDescOpaque_t* matmul,
                                                             cublasLtMatmulDescAttributes_t attribute,
                                                             const void* value, size_t bytes) {
  if (matmul == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return set("cublasLtMatmulDescSetAttribute", member_of(matmul_in(matmul), attribute), attribute, value, bytes);
}
ASSAY_EXPORTED cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDescOpaque_t* matmul,
                                                             cublasLtMatmulDescAttributes_t attribute, void* value,
                                                             size_t bytes, size_t* written) {
  if (matmul == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return get("cublasLtMatmulDescGetAttribute", member_of(matmul_in(matmul), attribute), attribute, value, bytes,
             written);
}

// There is one algorithm, without a workspace, so that no preference is asked for anything.
ASSAY_EXPORTED cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreferenceOpaque_t* preference,
                                                                    size_t bytes) {
  if (preference == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  std::memset(preference, 0, bytes);
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreferenceOpaque_t** preference) {
  if (preference == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *preference = new cublasLtMatmulPreferenceOpaque_t{};
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreferenceOpaque_t* preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreferenceOpaque_t* preference, int,
                                                                   const void* value, size_t) {
  return preference == nullptr || value == nullptr ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

}  // namespace assay::program
