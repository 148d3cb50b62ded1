// transpose_2d by cublasLtMatrixTransform: out = 1·inᵀ, in bf16 and f16.
//
// It computes in f32, so a NaN comes out without its payload: cases that compare those bits are left to others.
#include "harness/op/variant.h"
#include "harness/tensor/fill.h"
#include "reference/vendor/cublas/lt_matmul.h"
#include "reference/vendor/plan_cache.h"

namespace {

using namespace assay::vendor;

struct DestroyTransform {
  void operator()(cublasLtMatrixTransformDescOpaque_t* transform) const {
    cublas_lt().function<decltype(&cublasLtMatrixTransformDescDestroy)>("cublasLtMatrixTransformDescDestroy")(
        transform);
  }
};

struct TransposePlan {
  std::unique_ptr<cublasLtMatrixTransformDescOpaque_t, DestroyTransform> transform;
  LtLayout in, out;
};

assay::Result<TransposePlan> make_plan(const assay::Case& c) {
  const cudaDataType_t type = type_of(c.dtype);
  const auto& lt = cublas_lt();
  const auto create = lt.function<decltype(&cublasLtMatrixTransformDescCreate)>("cublasLtMatrixTransformDescCreate");
  const auto set =
      lt.function<decltype(&cublasLtMatrixTransformDescSetAttribute)>("cublasLtMatrixTransformDescSetAttribute");
  const int32_t transposed = CUBLAS_OP_T;
  TransposePlan plan;
  cublasLtMatrixTransformDesc_t transform = nullptr;
  auto status = create(&transform, CUDA_R_32F);
  plan.transform.reset(transform);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = set(transform, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &transposed, sizeof transposed);
  if (status == CUBLAS_STATUS_SUCCESS) status = make_layout({type}, c.dim("cols"), c.dim("rows"), plan.in);
  if (status == CUBLAS_STATUS_SUCCESS) status = make_layout({type}, c.dim("rows"), c.dim("cols"), plan.out);
  if (status != CUBLAS_STATUS_SUCCESS) return tl::unexpected(cublas_error("describing a transposition", status));
  return plan;
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (assay::find_fill(c.fill)->has_nan)
    return "cublasLtMatrixTransform multiplies by 1, which changes the bits of a NaN";
  return why_missing(cublas_lt());
}

void run(assay::Call& call) {
  if (call.dim("rows") == 0 || call.dim("cols") == 0) return;
  const auto handle = cublas_lt_handle();
  if (!handle) return assay::note_refused_launch(handle.error().line());
  static auto& plans = *new PlanCache<TransposePlan>;
  const TransposePlan* plan = plans.get(call.c(), [&] { return make_plan(call.c()); });
  if (!plan) return;
  const auto transform = cublas_lt().function<decltype(&cublasLtMatrixTransform)>("cublasLtMatrixTransform");
  const float one = 1, zero = 0;
  note_if_refused(
      "cublasLtMatrixTransform",
      transform(*handle, plan->transform.get(), &one, call.in<void>("in"), plan->in.get(), &zero, nullptr, nullptr,
                call.out<void>("out"), plan->out.get(), static_cast<cudaStream_t>(assay::current_stream())));
}

const assay::RegisterVariant kVariant({.op = "transpose_2d",
                                       .name = "cublas_lt_transform",
                                       .summary = "cublasLtMatrixTransform with a transposed operand",
                                       .dtypes = {assay::DType::bf16, assay::DType::f16},
                                       .aligned = 256,
                                       .vendor = "cuBLAS",
                                       .unsupported = unsupported,
                                       .run = run});

}  // namespace
