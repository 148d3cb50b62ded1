// residual_add in place by cublasAxpyEx, which adds 1·b to a where a is; cuDNN's graphs are left the cases with a
// result of its own.
#include "harness/op/variant.h"
#include "reference/vendor/cublas/handle.h"

namespace {

using namespace assay::vendor;

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("alias") == "none") return "cublasAxpyEx writes its sum over an operand";
  return why_missing(cublas());
}

void run(assay::Call& call) {
  const auto handle = cublas_on_stream();
  if (!handle) return;
  const cudaDataType_t type = type_of(call.dtype());
  const float one = 1;
  const auto axpy = cublas().function<decltype(&cublasAxpyEx_64)>("cublasAxpyEx_64");
  note_if_refused("cublasAxpyEx", axpy(*handle, call.dim("T") * call.dim("aE"), &one, CUDA_R_32F, call.in<void>("b"),
                                       type, 1, call.out<void>("out"), type, 1, CUDA_R_32F));
}

const assay::RegisterVariant kVariant({.op = "residual_add",
                                       .name = "cublas_axpy",
                                       .summary = "cublasAxpyEx in f32, in place",
                                       .vendor = "cuBLAS",
                                       .unsupported = unsupported,
                                       .adjust = [](assay::Case& c) { c.set("alias", "out:a"); },
                                       .run = run});

}  // namespace
