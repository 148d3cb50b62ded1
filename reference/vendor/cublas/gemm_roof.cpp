// The roof of matrix products: cublasLtMatmul on 8192 x 8192 matrices, in bf16, tf32 and f32, with the first algorithm
// that its heuristic names.
#include "harness/device/cuda/gemm_roof.h"

#include <cuda_bf16.h>

#include <memory>
#include <vector>

#include "harness/base/rng.h"
#include "harness/device/cuda/stream.h"
#include "harness/tensor/fill.h"
#include "reference/vendor/cublas/handle.h"

namespace assay::vendor {
namespace {

constexpr int64_t kSize = 8192;
constexpr size_t kWorkspaceBytes = size_t{32} << 20;  // what NVIDIA recommends for Hopper

struct Precision {
  const char* name;
  cudaDataType_t type;  // of the matrices
  cublasComputeType_t compute;
  size_t element_bytes;
};

// Memory of the runtime that asked for the product.
struct Release {
  GpuRuntime* gpu;
  void operator()(void* memory) const { gpu->release(memory); }
};
using Memory = std::unique_ptr<void, Release>;

Result<Memory> allocate(GpuRuntime& gpu, size_t bytes) {
  void* memory = nullptr;
  if (const GpuStatus error = gpu.allocate(bytes, &memory)) return fail("matrices of a roof: " + error->text);
  return Memory(memory, {&gpu});
}

// Normal numbers: zeros would take less power and run faster.
Result<Memory> random_matrix(GpuRuntime& gpu, const Precision& precision, std::string_view stream) {
  auto memory = allocate(gpu, kSize * kSize * precision.element_bytes);
  if (!memory) return memory;
  constexpr int64_t kPeriod = 1 << 20;  // so many different numbers, over and over
  Rng rng = Rng::stream(1, stream);
  std::vector<char> host(static_cast<size_t>(kPeriod) * precision.element_bytes);
  for (int64_t i = 0; i < kPeriod; ++i) {
    const auto value = static_cast<float>(normal(rng));
    if (precision.type == CUDA_R_32F)
      reinterpret_cast<float*>(host.data())[i] = value;
    else
      reinterpret_cast<__nv_bfloat16*>(host.data())[i] = __float2bfloat16(value);
  }
  for (int64_t i = 0; i < kSize * kSize; i += kPeriod) {
    char* at = static_cast<char*>(memory->get()) + static_cast<size_t>(i) * precision.element_bytes;
    if (const GpuStatus error = gpu.upload(at, host.data(), host.size()))
      return fail("matrices of a roof: " + error->text);
  }
  return memory;
}

// A planned product with all it needs. cuBLASLt's descriptions are small and live as long as the process.
struct Product {
  Memory a, b, c, workspace;
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t layout = nullptr;
  cublasLtMatmulHeuristicResult_t algorithm = {};
  void* stream = nullptr;

  cublasStatus_t plan(const Precision& precision);
  void run() const;
};

cublasStatus_t Product::plan(const Precision& precision) {
  const Library& lt = cublas_lt();
  cublasLtMatmulPreference_t preference = nullptr;
  int found = 0;
  auto status = lt.function<decltype(&cublasLtMatmulDescCreate)>("cublasLtMatmulDescCreate")(
      &operation, precision.compute, CUDA_R_32F);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = lt.function<decltype(&cublasLtMatrixLayoutCreate)>("cublasLtMatrixLayoutCreate")(&layout, precision.type,
                                                                                              kSize, kSize, kSize);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = lt.function<decltype(&cublasLtMatmulPreferenceCreate)>("cublasLtMatmulPreferenceCreate")(&preference);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = lt.function<decltype(&cublasLtMatmulPreferenceSetAttribute)>("cublasLtMatmulPreferenceSetAttribute")(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspaceBytes, sizeof kWorkspaceBytes);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = lt.function<decltype(&cublasLtMatmulAlgoGetHeuristic)>("cublasLtMatmulAlgoGetHeuristic")(
        handle, operation, layout, layout, layout, layout, preference, 1, &algorithm, &found);
  if (status == CUBLAS_STATUS_SUCCESS && found == 0) status = CUBLAS_STATUS_NOT_SUPPORTED;
  return status;
}

void Product::run() const {
  static const auto matmul = cublas_lt().function<decltype(&cublasLtMatmul)>("cublasLtMatmul");
  const float one = 1, zero = 0;
  note_if_refused("cublasLtMatmul",
                  matmul(handle, operation, &one, a.get(), layout, b.get(), layout, &zero, c.get(), layout, c.get(),
                         layout, &algorithm.algo, workspace.get(), kWorkspaceBytes, static_cast<cudaStream_t>(stream)));
}

Result<std::function<void()>> prepare(GpuRuntime& gpu, const Precision& precision) {
  const auto handle = cublas_lt_handle();
  if (!handle) return tl::unexpected(handle.error());
  auto a = random_matrix(gpu, precision, "a"), b = random_matrix(gpu, precision, "b");
  auto c = allocate(gpu, kSize * kSize * precision.element_bytes), workspace = allocate(gpu, kWorkspaceBytes);
  for (const auto* part : {&a, &b, &c, &workspace})
    if (!*part) return tl::unexpected(part->error());
  auto product = std::make_shared<Product>(
      Product{std::move(*a), std::move(*b), std::move(*c), std::move(*workspace), *handle, {}, {}, {}, gpu.stream()});
  if (const auto status = product->plan(precision); status != CUBLAS_STATUS_SUCCESS)
    return tl::unexpected(cublas_error("planning cublasLtMatmul", status));
  return [product] { product->run(); };
}

const struct RegisterRoofs {
  RegisterRoofs() {
    for (const Precision& precision :
         {Precision{"bf16", CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2}, Precision{"f32", CUDA_R_32F, CUBLAS_COMPUTE_32F, 4},
          Precision{"tf32", CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 4}})
      register_gemm_roof({.name = std::string(precision.name) + " GEMM",
                          .flops = 2.0 * kSize * kSize * kSize,
                          .prepare = [=](GpuRuntime& gpu) { return prepare(gpu, precision); }});
  }
} kRegistered;

}  // namespace
}  // namespace assay::vendor
