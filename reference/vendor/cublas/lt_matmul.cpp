// cuBLASLt's descriptions of a product, and running it.
#include "reference/vendor/cublas/lt_matmul.h"

#include "harness/device/cuda/stream.h"
#include "reference/vendor/scratch.h"

namespace assay::vendor {
namespace {

constexpr cublasStatus_t kOk = CUBLAS_STATUS_SUCCESS;

template <class F>
F lt(const char* name) {
  return cublas_lt().function<F>(name);
}

constexpr size_t kWorkspaceBytes = size_t{32} << 20;  // what NVIDIA recommends for Hopper

// One for all products, which follow each other on a stream.
Result<void*> workspace() {
  static auto& memory = *new Scratch;
  if (!memory) memory = ASSAY_TRY(allocate_scratch(kWorkspaceBytes));
  return memory.get();
}

int32_t operation_of(const LtMatrix& matrix) { return matrix.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

template <class Object, class Attribute, class Value>
void set(const char* function, Object* object, Attribute attribute, Value value, cublasStatus_t& status) {
  using Set = cublasStatus_t (*)(Object*, Attribute, const void*, size_t);
  if (status == kOk) status = lt<Set>(function)(object, attribute, &value, sizeof value);
}

void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, auto value, cublasStatus_t& status) {
  set("cublasLtMatmulDescSetAttribute", operation, attribute, value, status);
}

}  // namespace

void LtMatmul::Destroy::operator()(cublasLtMatmulDescOpaque_t* description) const {
  lt<decltype(&cublasLtMatmulDescDestroy)>("cublasLtMatmulDescDestroy")(description);
}
void DestroyLtLayout::operator()(cublasLtMatrixLayoutOpaque_t* layout) const {
  lt<decltype(&cublasLtMatrixLayoutDestroy)>("cublasLtMatrixLayoutDestroy")(layout);
}

cublasStatus_t make_layout(const LtMatrix& matrix, int64_t rows, int64_t cols, LtLayout& layout, int32_t count) {
  if (matrix.transposed) std::swap(rows, cols);
  cublasLtMatrixLayout_t made = nullptr;
  auto status = lt<decltype(&cublasLtMatrixLayoutCreate)>("cublasLtMatrixLayoutCreate")(
      &made, matrix.type, static_cast<uint64_t>(rows), static_cast<uint64_t>(cols),
      matrix.leading == 0 ? rows : matrix.leading);
  layout.reset(made);
  if (count == 1) return status;
  constexpr const char* kSet = "cublasLtMatrixLayoutSetAttribute";
  set(kSet, made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, count, status);
  set(kSet, made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix.batch_stride, status);
  return status;
}

Result<LtMatmul> LtMatmul::plan(const LtProblem& problem, int algorithms_max) {
  LtMatmul product;
  product.handle_ = ASSAY_TRY(cublas_lt_handle());
  product.workspace_ = ASSAY_TRY(workspace());
  product.integers_ = problem.compute == CUBLAS_COMPUTE_32I;
  product.takes_vector_ = problem.epilogue != CUBLASLT_EPILOGUE_DEFAULT;
  cublasStatus_t status = product.describe(problem);
  if (status == kOk) status = product.find_algorithms(problem, algorithms_max);
  if (status == kOk && product.algorithms_.empty()) status = CUBLAS_STATUS_NOT_SUPPORTED;
  if (status != kOk) return tl::unexpected(cublas_error("planning cublasLtMatmul", status));
  return product;
}

cublasStatus_t LtMatmul::describe(const LtProblem& problem) {
  cublasLtMatmulDesc_t operation = nullptr;
  auto status = lt<decltype(&cublasLtMatmulDescCreate)>("cublasLtMatmulDescCreate")(
      &operation, problem.compute, integers_ ? CUDA_R_32I : CUDA_R_32F);
  operation_.reset(operation);
  set(operation, CUBLASLT_MATMUL_DESC_TRANSA, operation_of(problem.a), status);
  set(operation, CUBLASLT_MATMUL_DESC_TRANSB, operation_of(problem.b), status);
  if (takes_vector_) {
    set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<uint32_t>(problem.epilogue), status);
    // The heuristic wants to know how it is aligned.
    set(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, uintptr_t{problem.alignment}, status);
    if (problem.count > 1) set(operation, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, problem.m, status);
  }
  if (status == kOk) status = make_layout(problem.a, problem.m, problem.k, a_, problem.count);
  if (status == kOk) status = make_layout(problem.b, problem.k, problem.n, b_, problem.count);
  if (status == kOk) status = make_layout(problem.c, problem.m, problem.n, c_, problem.count);
  return status;
}

cublasStatus_t LtMatmul::find_algorithms(const LtProblem& problem, int algorithms_max) {
  cublasLtMatmulPreference_t preference = nullptr;
  auto status = lt<decltype(&cublasLtMatmulPreferenceCreate)>("cublasLtMatmulPreferenceCreate")(&preference);
  constexpr const char* kPrefer = "cublasLtMatmulPreferenceSetAttribute";
  set(kPrefer, preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes, status);
  // Parts of sums are not rounded to the result's type.
  set(kPrefer, preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE), status);
  for (const auto matrix : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    set(kPrefer, preference, matrix, problem.alignment, status);
  int found = 0;
  algorithms_.resize(static_cast<size_t>(algorithms_max));
  if (status == kOk)
    status = lt<decltype(&cublasLtMatmulAlgoGetHeuristic)>("cublasLtMatmulAlgoGetHeuristic")(
        handle_, operation_.get(), a_.get(), b_.get(), c_.get(), c_.get(), preference, algorithms_max,
        algorithms_.data(), &found);
  if (preference) lt<decltype(&cublasLtMatmulPreferenceDestroy)>("cublasLtMatmulPreferenceDestroy")(preference);
  algorithms_.resize(static_cast<size_t>(found));
  std::erase_if(algorithms_, [](const cublasLtMatmulHeuristicResult_t& each) { return each.state != kOk; });
  return status;
}

void LtMatmul::run(size_t algorithm, const LtOperands& operands) const {
  static const auto matmul = lt<decltype(&cublasLtMatmul)>("cublasLtMatmul");
  cublasStatus_t status = kOk;
  if (takes_vector_) set(operation_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.vector, status);
  note_if_refused("cublasLtMatmulDescSetAttribute", status);
  const auto alpha = static_cast<int32_t>(operands.alpha), beta = static_cast<int32_t>(operands.beta);
  const void* const scale = integers_ ? static_cast<const void*>(&alpha) : &operands.alpha;
  const void* const keep = integers_ ? static_cast<const void*>(&beta) : &operands.beta;
  note_if_refused("cublasLtMatmul",
                  matmul(handle_, operation_.get(), scale, operands.a, a_.get(), operands.b, b_.get(), keep, operands.c,
                         c_.get(), operands.c, c_.get(), &algorithms_[algorithm].algo, workspace_,
                         algorithms_[algorithm].workspaceSize, static_cast<cudaStream_t>(current_stream())));
}

}  // namespace assay::vendor
