// gemm by cublasLtMatmul: what cuBLAS can do with a shape when its algorithms are tried, not only the one that its
// heuristic names first.
//
// The algorithms are timed when a shape is first run. Which is fastest may differ from process to process, and with it
// the order of sums: the variant promises no equal bits. Its epilogue adds a bias to a C in f32. K = 0 is left out as
// in gemm_ex.cpp.
#include <cuda_runtime_api.h>

#include <limits>

#include "harness/op/variant.h"
#include "reference/vendor/cublas/lt_matmul.h"
#include "reference/vendor/plan_cache.h"
#include "reference/vendor/scratch.h"

namespace {

using namespace assay::vendor;

constexpr int kAlgorithmsMax = 8;
constexpr int kRunsOfEach = 3;

struct GemmPlan {
  LtMatmul product;
  size_t fastest = 0;
};

// cuBLAS reads row-major matrices as their transposes, and Cᵀ = Bᵀ Aᵀ: the operands change places.
LtProblem problem_of(const assay::Case& c) {
  const cudaDataType_t type = type_of(c.dtype);
  return {.m = c.dim("N"),
          .n = c.dim("M"),
          .k = c.dim("K"),
          .a = {.type = type, .transposed = c.text("layout") == "nt"},
          .b = {.type = type, .transposed = c.text("layout") == "tn"},
          .c = {.type = c.text("out") == "f32" ? CUDA_R_32F : type},
          .epilogue = c.text("bias") == "1" ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT};
}

// Milliseconds of a few runs after a first; infinity where that fails.
float time_of(const GemmPlan& plan, size_t algorithm, const LtOperands& operands) {
  const auto stream = static_cast<cudaStream_t>(assay::current_stream());
  cudaEvent_t begin = nullptr, end = nullptr;
  float ms = std::numeric_limits<float>::infinity();
  if (cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess) {
    plan.product.run(algorithm, operands);
    cudaEventRecord(begin, stream);
    for (int i = 0; i < kRunsOfEach; ++i) plan.product.run(algorithm, operands);
    cudaEventRecord(end, stream);
    if (cudaEventSynchronize(end) != cudaSuccess || cudaEventElapsedTime(&ms, begin, end) != cudaSuccess)
      ms = std::numeric_limits<float>::infinity();
  }
  for (const cudaEvent_t event : {begin, end})
    if (event) cudaEventDestroy(event);
  return ms;
}

// The index of the fastest; the first where they cannot be timed. C is written elsewhere: it may be added to later.
size_t fastest_of(const GemmPlan& plan, LtOperands operands, size_t c_bytes) {
  void* c = nullptr;
  if (plan.product.algorithms() < 2 || cudaMalloc(&c, c_bytes) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  const Scratch scratch(c);
  operands.c = c;
  operands.beta = 0;
  size_t fastest = 0;
  float least_ms = std::numeric_limits<float>::infinity();
  for (size_t i = 0; i < plan.product.algorithms(); ++i) {
    const float ms = time_of(plan, i, operands);
    if (ms < least_ms) least_ms = ms, fastest = i;
  }
  return fastest;
}

assay::Result<GemmPlan> make_plan(const assay::Case& c, const LtOperands& operands, size_t c_bytes) {
  GemmPlan plan{ASSAY_TRY(LtMatmul::plan(problem_of(c), kAlgorithmsMax))};
  plan.fastest = fastest_of(plan, operands, c_bytes);
  return plan;
}

// Seen on an H200 (cuBLAS 13.1), up to 1.75 budgets.
bool adds_to_16_bits(const assay::Case& c) {
  return c.text("accumulate") == "1" && c.text("out") != "f32" && c.dtype != assay::DType::f32;
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("bias") == "1" && c.text("out") != "f32" && c.dtype != assay::DType::f32)
    return "cublasLtMatmul adds a bias in the dtype of C only";
  if (adds_to_16_bits(c)) return "cublasLtMatmul may round the product to 16 bits before it adds C";
  if (c.dim("K") == 0) return "cublasLtMatmul does not say what becomes of C without terms (K=0)";
  return why_missing(cublas_lt());
}

void adjust(assay::Case& c) {
  if (c.text("bias") == "1" || adds_to_16_bits(c)) c.set("out", "f32");
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("M"), cols = call.dim("N");
  if (rows == 0 || cols == 0) return;
  static auto& plans = *new PlanCache<GemmPlan>;
  const LtOperands operands{.a = call.in<void>("b"),
                            .b = call.in<void>("a"),
                            .c = call.out<void>("c"),
                            .vector = call.in<void>("bias"),
                            .beta = call.text("accumulate") == "1" ? 1.f : 0.f};
  const size_t element = call.text("out") == "f32" ? sizeof(float) : size_of(call.dtype());
  const auto c_bytes = static_cast<size_t>(rows * cols) * element;
  const GemmPlan* plan = plans.get(call.c(), [&] { return make_plan(call.c(), operands, c_bytes); });
  if (plan) plan->product.run(plan->fastest, operands);
}

const assay::RegisterVariant kVariant({.op = "gemm",
                                       .name = "cublas_lt_matmul",
                                       .summary = "cublasLtMatmul by the fastest of the algorithms for the shape",
                                       .aligned = 256,
                                       .vendor = "cuBLAS",
                                       .deterministic = false,
                                       .unsupported = unsupported,
                                       .adjust = adjust,
                                       .run = run});

}  // namespace
