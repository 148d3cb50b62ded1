// The roofs of matrix products: cublasLtMatmul on 8192 x 8192 matrices in every precision that tensor cores have, and
// in f32 without them. Each algorithm that the heuristic names is a candidate; the fastest is the roof.
//
// The first operand is transposed: fp8 and int8 take no other layout, and the others are as fast with it.
#include "harness/device/cuda/gemm_roof.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "harness/base/rng.h"
#include "harness/device/cuda/stream.h"
#include "harness/tensor/fill.h"
#include "reference/vendor/cublas/lt_matmul.h"

namespace assay::vendor {
namespace {

constexpr int64_t kSize = 8192;
constexpr int kAlgorithmsMax = 8;

struct Precision {
  const char* name;
  cudaDataType_t type, out;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
};

// fp8 is E4M3. Its products come out in bf16, those of int8 in int32: what a chain of layers goes on with.
constexpr Precision kPrecisions[] = {
    {"bf16", CUDA_R_16BF, CUDA_R_16BF},   {"f16", CUDA_R_16F, CUDA_R_16F},
    {"f32", CUDA_R_32F, CUDA_R_32F},      {"tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
    {"fp8", CUDA_R_8F_E4M3, CUDA_R_16BF}, {"int8", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I}};

size_t element_bytes(cudaDataType_t type) {
  return type == CUDA_R_32F || type == CUDA_R_32I ? 4 : type == CUDA_R_16BF || type == CUDA_R_16F ? 2 : 1;
}

// A normal number in `type`; of int8, whose steps are whole, 32 times as large.
void store(float value, cudaDataType_t type, char* to) {
  const auto put = [to](const auto& element) { std::memcpy(to, &element, sizeof element); };
  if (type == CUDA_R_16BF) return put(__float2bfloat16(value));
  if (type == CUDA_R_16F) return put(__float2half(value));
  if (type == CUDA_R_8F_E4M3) return put(__nv_fp8_e4m3(value));
  if (type == CUDA_R_8I) return put(static_cast<int8_t>(std::clamp(std::lround(32 * value), -127L, 127L)));
  put(value);
}

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
Result<Memory> random_matrix(GpuRuntime& gpu, cudaDataType_t type, std::string_view stream) {
  const size_t element = element_bytes(type);
  auto memory = allocate(gpu, kSize * kSize * element);
  if (!memory) return memory;
  constexpr int64_t kPeriod = 1 << 20;  // so many different numbers, over and over
  Rng rng = Rng::stream(1, stream);
  std::vector<char> host(static_cast<size_t>(kPeriod) * element);
  for (size_t at = 0; at < host.size(); at += element) store(static_cast<float>(normal(rng)), type, &host[at]);
  for (size_t i = 0; i < kSize * kSize * element; i += host.size())
    if (const GpuStatus error = gpu.upload(static_cast<char*>(memory->get()) + i, host.data(), host.size()))
      return fail("matrices of a roof: " + error->text);
  return memory;
}

// A planned product with all it needs.
struct Product {
  Memory a, b, c;
  LtMatmul matmul;
  void* stream = nullptr;

  void run(size_t algorithm) const {
    const StreamScope scope(stream);
    matmul.run(algorithm, {a.get(), b.get(), c.get()});
  }
};

Result<std::vector<RoofCandidate>> prepare(GpuRuntime& gpu, const Precision& precision) {
  auto matmul = LtMatmul::plan({.m = kSize,
                                .n = kSize,
                                .k = kSize,
                                .a = {.type = precision.type, .transposed = true},
                                .b = {.type = precision.type},
                                .c = {.type = precision.out},
                                .compute = precision.compute},
                               kAlgorithmsMax);
  if (!matmul) return tl::unexpected(matmul.error());
  auto a = random_matrix(gpu, precision.type, "a"), b = random_matrix(gpu, precision.type, "b");
  auto c = allocate(gpu, kSize * kSize * element_bytes(precision.out));
  for (const auto* part : {&a, &b, &c})
    if (!*part) return tl::unexpected(part->error());
  const size_t algorithms = matmul->algorithms();
  const auto product = std::make_shared<const Product>(
      Product{std::move(*a), std::move(*b), std::move(*c), std::move(*matmul), gpu.stream()});
  std::vector<RoofCandidate> candidates;
  for (size_t i = 0; i < algorithms; ++i)
    candidates.push_back(
        {"algorithm " + std::to_string(i + 1) + " of " + std::to_string(algorithms) + " of cublasLtMatmul's heuristic",
         [product, i] { product->run(i); }});
  return candidates;
}

const struct RegisterRoofs {
  RegisterRoofs() {
    for (const Precision& precision : kPrecisions)
      register_gemm_roof({.name = std::string(precision.name) + " GEMM",
                          .flops = 2.0 * kSize * kSize * kSize,
                          .prepare = [&](GpuRuntime& gpu) { return prepare(gpu, precision); }});
  }
} kRegistered;

}  // namespace
}  // namespace assay::vendor
