// cuBLASLt on the host, as far as variants call it: one product or one transpose, described beforehand.
//
// It serves tests on the simulated GPU; see cublas.cpp. Attributes that no caller sets are refused: of epilogues there
// are BIAS and BGRADB, with vectors in D's type, and there are no row-major layouts. The heuristic knows one algorithm,
// which takes no workspace, and addresses that are aligned as its caller promised.
#include <cublasLt.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "reference/vendor/fake/matrices.h"
#include "reference/vendor/fake/second_run.h"

namespace {

using namespace assay::vendor::fake;

constexpr cublasStatus_t kOk = CUBLAS_STATUS_SUCCESS;

struct Operation {
  cublasComputeType_t compute;
  int32_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* vector = nullptr;
  int64_t vector_stride = 0;
};
struct Transform {
  int32_t a = CUBLAS_OP_N;
};
struct Layout {
  cudaDataType type;
  int64_t rows, cols, leading;
  int32_t count = 1;
  int64_t stride = 0;
};

// Callers promise how the addresses of A, B, C and D are aligned.
struct Preference {
  uint32_t alignment = 256;
};

// NVIDIA's descriptions are opaque: ours lie behind their pointers.
template <class Ours, class Theirs>
const Ours& ours(const Theirs* theirs) {
  return *reinterpret_cast<const Ours*>(theirs);
}
template <class Ours, class Theirs>
cublasStatus_t destroy(Theirs* theirs) {
  delete reinterpret_cast<Ours*>(theirs);
  return kOk;
}

template <class T>
cublasStatus_t set(T& attribute, const void* value, size_t bytes) {
  if (bytes != sizeof attribute) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&attribute, value, bytes);
  return kOk;
}

Matrix matrix(const void* data, const Layout& layout, int32_t operation = CUBLAS_OP_N) {
  return {const_cast<void*>(data), layout.type, layout.leading, operation != CUBLAS_OP_N};
}

// Rows and columns of op(x).
int64_t rows(const Layout& x, int32_t operation) { return operation == CUBLAS_OP_N ? x.rows : x.cols; }
int64_t cols(const Layout& x, int32_t operation) { return operation == CUBLAS_OP_N ? x.cols : x.rows; }

cublasStatus_t why_no_product(const Operation& operation, const Layout& a, const Layout& b, const Layout& c,
                              const Layout& d) {
  const bool tf32 = operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32 && a.type == CUDA_R_32F;
  const bool sums = operation.epilogue == CUBLASLT_EPILOGUE_BGRADB, adds = operation.epilogue == CUBLASLT_EPILOGUE_BIAS;
  if ((operation.compute != CUBLAS_COMPUTE_32F && !tf32) || c.type != d.type ||
      !are_multiplied(matrix(nullptr, a), matrix(nullptr, b), matrix(nullptr, d)))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!adds && operation.epilogue != CUBLASLT_EPILOGUE_DEFAULT && !(sums && d.count == 1))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool sizes_agree = rows(a, operation.a) == d.rows && cols(b, operation.b) == d.cols &&
                           cols(a, operation.a) == rows(b, operation.b) && c.rows == d.rows && c.cols == d.cols &&
                           a.count == d.count && b.count == d.count && c.count == d.count;
  return sizes_agree && (operation.vector || !(adds || sums)) ? kOk : CUBLAS_STATUS_INVALID_VALUE;
}

bool are_aligned(const cublasLtMatmulAlgo_t& algorithm, std::initializer_list<const void*> addresses) {
  return std::ranges::all_of(
      addresses, [&](const void* address) { return reinterpret_cast<uintptr_t>(address) % algorithm.data[0] == 0; });
}

// BGRADB: the sums of op(B)'s columns.
void sum_columns(const Matrix& b, int64_t rows, int64_t cols, const Matrix& to) {
  for (int64_t col = 0; col < cols; ++col) {
    float sum = 0;
    for (int64_t row = 0; row < rows; ++row) sum += b.get(row, col);
    to.put(col, 0, sum);
  }
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  not_in_second_run("cublasLtCreate");
  static int made;
  *handle = reinterpret_cast<cublasLtHandle_t>(&made);
  return kOk;
}

const char* cublasLtGetStatusString(cublasStatus_t) { return "refused by the fake"; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  if (scale != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  *operation = reinterpret_cast<cublasLtMatmulDesc_t>(new Operation{compute});
  return kOk;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) { return destroy<Operation>(operation); }

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
  auto& described = *reinterpret_cast<Operation*>(operation);
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSA) return set(described.a, value, bytes);
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSB) return set(described.b, value, bytes);
  if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE) return set(described.epilogue, value, bytes);
  if (attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER) return set(described.vector, value, bytes);
  if (attribute == CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE) return set(described.vector_stride, value, bytes);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t cols, int64_t leading) {
  const Layout described{type, static_cast<int64_t>(rows), static_cast<int64_t>(cols), leading};
  if (!is_known(type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!matrix(nullptr, described).fits(described.rows, described.cols)) return CUBLAS_STATUS_INVALID_VALUE;
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(new Layout(described));
  return kOk;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                size_t bytes) {
  auto& described = *reinterpret_cast<Layout*>(layout);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) return set(described.count, value, bytes);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) return set(described.stride, value, bytes);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return destroy<Layout>(layout); }

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return kOk;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy<Preference>(preference);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                                                    size_t bytes) {
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) return kOk;
  if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK) return kOk;  // sums here are in one piece
  if (attribute < CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES || attribute > CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return set(reinterpret_cast<Preference*>(preference)->alignment, value, bytes);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int algorithms_max,
                                              cublasLtMatmulHeuristicResult_t* results, int* found) {
  not_in_second_run("cublasLtMatmulAlgoGetHeuristic");
  *found = 0;
  const auto status =
      why_no_product(ours<Operation>(operation), ours<Layout>(a), ours<Layout>(b), ours<Layout>(c), ours<Layout>(d));
  if (status != kOk || algorithms_max < 1) return status;
  results[0] = {};
  results[0].algo.data[0] = ours<Preference>(preference).alignment;
  *found = 1;
  return kOk;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t layout_a, const void* b, cublasLtMatrixLayout_t layout_b,
                              const void* beta, const void* c, cublasLtMatrixLayout_t layout_c, void* d,
                              cublasLtMatrixLayout_t layout_d, const cublasLtMatmulAlgo_t* algorithm, void*, size_t,
                              cudaStream_t stream) {
  must_be_current("cublasLtMatmul", stream);
  const auto& described = ours<Operation>(operation);
  const auto &of_a = ours<Layout>(layout_a), &of_b = ours<Layout>(layout_b), &of_c = ours<Layout>(layout_c),
             &of_d = ours<Layout>(layout_d);
  if (const auto status = why_no_product(described, of_a, of_b, of_c, of_d); status != kOk) return status;
  if (!are_aligned(*algorithm, {a, b, c, d, described.vector})) return CUBLAS_STATUS_NOT_SUPPORTED;
  const Size size{of_d.rows, of_d.cols, cols(of_a, described.a)};
  const Matrix left = matrix(a, of_a, described.a), right = matrix(b, of_b, described.b), from = matrix(c, of_c),
               to = matrix(d, of_d), vector{described.vector, of_d.type, size.m};
  const bool sums = described.epilogue == CUBLASLT_EPILOGUE_BGRADB;
  for (int32_t i = 0; i < of_d.count; ++i)
    multiply(size, *static_cast<const float*>(alpha), left.after(i * of_a.stride), right.after(i * of_b.stride),
             *static_cast<const float*>(beta), from.after(i * of_c.stride), to.after(i * of_d.stride),
             described.epilogue == CUBLASLT_EPILOGUE_BIAS ? vector.after(i * described.vector_stride) : Matrix{},
             described.compute == CUBLAS_COMPUTE_32F_FAST_TF32);
  if (sums) sum_columns(right, size.k, size.n, vector);
  return kOk;
}

cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t* transform, cudaDataType scale) {
  if (scale != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  *transform = reinterpret_cast<cublasLtMatrixTransformDesc_t>(new Transform{});
  return kOk;
}
cublasStatus_t cublasLtMatrixTransformDescDestroy(cublasLtMatrixTransformDesc_t transform) {
  return destroy<Transform>(transform);
}
cublasStatus_t cublasLtMatrixTransformDescSetAttribute(cublasLtMatrixTransformDesc_t transform,
                                                       cublasLtMatrixTransformDescAttributes_t attribute,
                                                       const void* value, size_t bytes) {
  if (attribute != CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA) return CUBLAS_STATUS_NOT_SUPPORTED;
  return set(reinterpret_cast<Transform*>(transform)->a, value, bytes);
}

cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t, cublasLtMatrixTransformDesc_t transform, const void* alpha,
                                       const void* a, cublasLtMatrixLayout_t layout_a, const void*, const void* b,
                                       cublasLtMatrixLayout_t, void* c, cublasLtMatrixLayout_t layout_c,
                                       cudaStream_t stream) {
  must_be_current("cublasLtMatrixTransform", stream);
  const int32_t operation = ours<Transform>(transform).a;
  const auto &from = ours<Layout>(layout_a), &to = ours<Layout>(layout_c);
  if (b || from.type != to.type) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (rows(from, operation) != to.rows || cols(from, operation) != to.cols) return CUBLAS_STATUS_INVALID_VALUE;
  for (int64_t col = 0; col < to.cols; ++col)
    for (int64_t row = 0; row < to.rows; ++row)
      matrix(c, to).put(row, col, *static_cast<const float*>(alpha) * matrix(a, from, operation).get(row, col));
  return kOk;
}
}
