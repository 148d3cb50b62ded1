// cuBLASLt's descriptions of a product, and running it.
#include "reference/vendor/cublas/lt_matmul.h"

#include "harness/device/cuda/stream.h"

namespace assay::vendor {
namespace {

constexpr cublasStatus_t kOk = CUBLAS_STATUS_SUCCESS;

template <class F>
F lt(const char* name) {
  return cublas_lt().function<F>(name);
}

}  // namespace

template <>
void LtMatmul::Destroy<cublasLtMatmulDescOpaque_t>::operator()(cublasLtMatmulDescOpaque_t* description) const {
  lt<decltype(&cublasLtMatmulDescDestroy)>("cublasLtMatmulDescDestroy")(description);
}
template <>
void LtMatmul::Destroy<cublasLtMatrixLayoutOpaque_t>::operator()(cublasLtMatrixLayoutOpaque_t* description) const {
  lt<decltype(&cublasLtMatrixLayoutDestroy)>("cublasLtMatrixLayoutDestroy")(description);
}

Result<LtMatmul> LtMatmul::plan(const LtProblem& problem, int algorithms_max) {
  const auto handle = cublas_lt_handle();
  if (!handle) return tl::unexpected(handle.error());
  LtMatmul product;
  product.handle_ = *handle;
  product.integers_ = problem.compute == CUBLAS_COMPUTE_32I;
  cublasStatus_t status = product.describe(problem);
  if (status == kOk) status = product.find_algorithms(algorithms_max);
  if (status == kOk && product.algorithms_.empty()) status = CUBLAS_STATUS_NOT_SUPPORTED;
  if (status != kOk) return tl::unexpected(cublas_error("planning cublasLtMatmul", status));
  return product;
}

cublasStatus_t LtMatmul::describe(const LtProblem& problem) {
  cublasLtMatmulDesc_t operation = nullptr;
  auto status = lt<decltype(&cublasLtMatmulDescCreate)>("cublasLtMatmulDescCreate")(
      &operation, problem.compute, integers_ ? CUDA_R_32I : CUDA_R_32F);
  operation_.reset(operation);
  const auto set = lt<decltype(&cublasLtMatmulDescSetAttribute)>("cublasLtMatmulDescSetAttribute");
  const auto transpose = [&](cublasLtMatmulDescAttributes_t attribute, bool transposed) {
    const int32_t op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    if (status == kOk) status = set(operation, attribute, &op, sizeof op);
  };
  transpose(CUBLASLT_MATMUL_DESC_TRANSA, problem.a_transposed);
  transpose(CUBLASLT_MATMUL_DESC_TRANSB, problem.b_transposed);
  const auto create = lt<decltype(&cublasLtMatrixLayoutCreate)>("cublasLtMatrixLayoutCreate");
  const auto lay_out = [&](Layout& layout, cudaDataType_t type, bool transposed, int64_t rows, int64_t cols) {
    if (transposed) std::swap(rows, cols);
    cublasLtMatrixLayout_t made = nullptr;
    if (status == kOk) status = create(&made, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(cols), rows);
    layout.reset(made);
  };
  lay_out(a_, problem.type, problem.a_transposed, problem.m, problem.k);
  lay_out(b_, problem.type, problem.b_transposed, problem.k, problem.n);
  lay_out(c_, problem.out, false, problem.m, problem.n);
  return status;
}

cublasStatus_t LtMatmul::find_algorithms(int algorithms_max) {
  cublasLtMatmulPreference_t preference = nullptr;
  auto status = lt<decltype(&cublasLtMatmulPreferenceCreate)>("cublasLtMatmulPreferenceCreate")(&preference);
  if (status == kOk)
    status = lt<decltype(&cublasLtMatmulPreferenceSetAttribute)>("cublasLtMatmulPreferenceSetAttribute")(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kLtWorkspaceBytes, sizeof kLtWorkspaceBytes);
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

void LtMatmul::run(size_t algorithm, const LtOperands& operands, bool accumulate, void* workspace) const {
  static const auto matmul = lt<decltype(&cublasLtMatmul)>("cublasLtMatmul");
  const float one = 1, beta = accumulate ? 1.0f : 0.0f;
  const int32_t one_integer = 1, beta_integer = accumulate ? 1 : 0;
  const void* const scale = integers_ ? static_cast<const void*>(&one_integer) : &one;
  const void* const keep = integers_ ? static_cast<const void*>(&beta_integer) : &beta;
  note_if_refused("cublasLtMatmul",
                  matmul(handle_, operation_.get(), scale, operands.a, a_.get(), operands.b, b_.get(), keep, operands.c,
                         c_.get(), operands.c, c_.get(), &algorithms_[algorithm].algo, workspace,
                         algorithms_[algorithm].workspaceSize, static_cast<cudaStream_t>(current_stream())));
}

}  // namespace assay::vendor
