// cublasLtMatmul and the choice of its algorithm, of which there is one.
#include <algorithm>
#include <cstring>
#include <string>
#include <tl/expected.hpp>

#include "harness/program/libraries/blas_lt.h"
#include "harness/program/libraries/epilogue.h"
#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

constexpr const char* kName = "cublasLtMatmul";

struct Layouts {
  const LtLayout &a, &b, &c, &d;
};

// A product as it is computed: matrices by columns, without their addresses. Where results lie by rows, the transposed
// product is computed.
struct Plan {
  Gemm gemm;
  GemmMatrix d;
  Number scalars = Number::f32;
  bool is_turned = false;  // A and B have changed places
  Epilogue epilogue;
  EpilogueMemory memory;
  int64_t bias_stride = 0, aux_stride = 0;
};

bool is_valid(const LtLayout& layout) {
  const bool by_rows = layout.order == CUBLASLT_ORDER_ROW;
  return layout.ld >= static_cast<int64_t>(by_rows ? layout.columns : layout.rows) && layout.rows > 0 &&
         layout.columns > 0 && layout.batches > 0;
}
GemmMatrix matrix_of(const LtLayout& layout) { return {nullptr, layout.type, layout.ld, layout.stride}; }

tl::expected<Plan, cublasStatus_t> plan_of(const LtMatmul& matmul, const Layouts& given) {
  const auto refuse = [](cublasStatus_t status) { return tl::unexpected(status); };
  const bool turns_a = matmul.op_a != CUBLAS_OP_N, turns_b = matmul.op_b != CUBLAS_OP_N;
  const LtLayout &a = given.a, &b = given.b, &c = given.c, &d = given.d;
  for (const LtLayout* const each : {&a, &b, &c, &d}) {
    if (each->order != CUBLASLT_ORDER_COL && each->order != CUBLASLT_ORDER_ROW)
      return refuse(CUBLAS_STATUS_NOT_SUPPORTED);
    if (!is_valid(*each) || each->batches != d.batches) return refuse(CUBLAS_STATUS_INVALID_VALUE);
  }
  const uint64_t k = turns_a ? a.rows : a.columns;
  if ((turns_a ? a.columns : a.rows) != d.rows || (turns_b ? b.columns : b.rows) != k ||
      (turns_b ? b.rows : b.columns) != d.columns || c.rows != d.rows || c.columns != d.columns)
    return refuse(CUBLAS_STATUS_INVALID_VALUE);
  const auto types = gemm_types(matmul.compute, a.type, b.type, d.type);
  const auto epilogue = epilogue_of(matmul.epilogue);
  const bool by_rows = d.order == CUBLASLT_ORDER_ROW, is_plain = matmul.epilogue == CUBLASLT_EPILOGUE_DEFAULT;
  if (!types || !epilogue || c.type != d.type || c.order != d.order || matmul.scale_type != types->scalars ||
      matmul.op_c != CUBLAS_OP_N || matmul.fill_mode != 2 || matmul.pointer_mode > CUBLAS_POINTER_MODE_DEVICE ||
      (!is_plain && (by_rows || types->sums != Number::f32)))
    return refuse(CUBLAS_STATUS_NOT_SUPPORTED);
  Plan plan{.gemm = {.m = static_cast<int64_t>(d.rows),
                     .n = static_cast<int64_t>(d.columns),
                     .k = static_cast<int64_t>(k),
                     .transposes_a = turns_a != (a.order == CUBLASLT_ORDER_ROW),
                     .transposes_b = turns_b != (b.order == CUBLASLT_ORDER_ROW),
                     .a = matrix_of(a),
                     .b = matrix_of(b),
                     .c = matrix_of(c),
                     .batches = d.batches,
                     .sums = types->sums},
            .d = matrix_of(d),
            .scalars = types->scalars,
            .is_turned = by_rows,
            .epilogue = *epilogue,
            .memory = {},
            .bias_stride = matmul.bias_stride,
            .aux_stride = matmul.aux_stride};
  const auto type_or = [&](int32_t type) { return type < 0 ? d.type : static_cast<Number>(type); };
  plan.memory = {matmul.bias, type_or(matmul.bias_type), matmul.aux, type_or(matmul.aux_type), matmul.aux_ld};
  const bool has_aux = epilogue->keeps_input || epilogue->activation == Activation::gelu_backward;
  const bool has_bias = epilogue->adds_bias || epilogue->gradient != BiasGradient::none;
  if ((has_bias && bytes_of(plan.memory.bias_type) == 0) || (has_aux && bytes_of(plan.memory.aux_type) == 0))
    return refuse(CUBLAS_STATUS_NOT_SUPPORTED);
  if (has_aux && (matmul.aux_ld < plan.gemm.m || matmul.aux_ld % 8 != 0)) return refuse(CUBLAS_STATUS_INVALID_VALUE);
  if (by_rows) {
    std::swap(plan.gemm.m, plan.gemm.n), std::swap(plan.gemm.a, plan.gemm.b);
    std::swap(plan.gemm.transposes_a, plan.gemm.transposes_b);
    plan.gemm.transposes_a = !plan.gemm.transposes_a, plan.gemm.transposes_b = !plan.gemm.transposes_b;
  }
  return plan;
}

Operand operand_of(const char* name, const GemmMatrix& matrix, int64_t rows, int64_t columns, int64_t batches) {
  return {name, matrix.begin, bytes_of(matrix.type), rows, columns, matrix.ld, batches, matrix.stride};
}

// All that a product reads and writes.
struct Operands {
  Operand a, b, c, d, bias, aux;
};
Operands operands_of(const Plan& plan) {
  const Gemm& gemm = plan.gemm;
  const int64_t bias = plan.epilogue.gradient == BiasGradient::of_b ? gemm.n : gemm.m;
  const char *const left = plan.is_turned ? "B" : "A", *const right = plan.is_turned ? "A" : "B";
  return {
      operand_of(left, gemm.a, gemm.transposes_a ? gemm.k : gemm.m, gemm.transposes_a ? gemm.m : gemm.k, gemm.batches),
      operand_of(right, gemm.b, gemm.transposes_b ? gemm.n : gemm.k, gemm.transposes_b ? gemm.k : gemm.n, gemm.batches),
      operand_of("C", gemm.c, gemm.m, gemm.n, gemm.batches),
      operand_of("D", plan.d, gemm.m, gemm.n, gemm.batches),
      operand_of("the bias", {plan.memory.bias, plan.memory.bias_type, bias, plan.bias_stride}, bias, 1, gemm.batches),
      operand_of("the epilogue's matrix", {plan.memory.aux, plan.memory.aux_type, plan.memory.aux_ld, plan.aux_stride},
                 gemm.m, gemm.n, gemm.batches)};
}

void* moved(const void* begin, Number type, int64_t elements) {
  return begin == nullptr
             ? nullptr
             : static_cast<std::byte*>(const_cast<void*>(begin)) + elements * static_cast<int64_t>(bytes_of(type));
}

void multiply_batch(const Plan& plan, double alpha, double beta) {
  for (int64_t i = 0; i < plan.gemm.batches; ++i) {
    Plan one = plan;
    for (GemmMatrix* const each : {&one.gemm.a, &one.gemm.b, &one.gemm.c, &one.d})
      each->begin = moved(each->begin, each->type, i * each->stride);
    one.memory.bias = moved(one.memory.bias, one.memory.bias_type, i * plan.bias_stride);
    one.memory.aux = moved(one.memory.aux, one.memory.aux_type, i * plan.aux_stride);
    if (plan.gemm.sums == Number::f32) {
      multiply_with_epilogue(one.gemm, alpha, beta, one.d, plan.epilogue, one.memory);
      continue;
    }
    // Without an epilogue the result is computed where it is to lie, after C was copied there.
    const size_t bytes = static_cast<size_t>(one.gemm.m) * bytes_of(one.d.type);
    if (beta != 0 && one.d.begin != one.gemm.c.begin)
      for (int64_t j = 0; j < one.gemm.n; ++j)
        std::memmove(moved(one.d.begin, one.d.type, j * one.d.ld),
                     moved(one.gemm.c.begin, one.d.type, j * one.gemm.c.ld), bytes);
    one.gemm.c = one.d;
    multiply(one.gemm, alpha, beta, Threads::all_cores);
  }
}

cudaError_t run_plan(GpuProcess& process, const Plan& plan, double alpha, double beta) {
  const Operands operands = operands_of(plan);
  const Epilogue& epilogue = plan.epilogue;
  const bool reads_factors =
      alpha != 0 || epilogue.gradient == BiasGradient::of_a || epilogue.gradient == BiasGradient::of_b;
  const auto reads = [&](bool does, const Operand& operand) { return !does || can_read(process, kName, operand); };
  const auto writes = [&](bool does, const Operand& operand) { return !does || can_write(process, kName, operand); };
  const bool writes_bias = epilogue.gradient != BiasGradient::none;
  if (!reads(reads_factors, operands.a) || !reads(reads_factors, operands.b) || !reads(beta != 0, operands.c) ||
      !reads(epilogue.adds_bias, operands.bias) ||
      !reads(epilogue.activation == Activation::gelu_backward, operands.aux) || !writes(true, operands.d) ||
      !writes(writes_bias, operands.bias) || !writes(epilogue.keeps_input, operands.aux))
    return cudaErrorInvalidValue;
  std::string key = kName;
  key.append(reinterpret_cast<const char*>(&plan), sizeof plan);
  for (const double each : {alpha, beta}) key.append(reinterpret_cast<const char*>(&each), sizeof each);
  process.run_library(key, [&] { multiply_batch(plan, alpha, beta); });
  wrote(operands.d);
  if (writes_bias) wrote(operands.bias);
  if (epilogue.keeps_input) wrote(operands.aux);
  return cudaSuccess;
}

}  // namespace

ASSAY_EXPORTED cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDescOpaque_t* matmul, cublasLtMatrixLayoutOpaque_t* a,
    cublasLtMatrixLayoutOpaque_t* b, cublasLtMatrixLayoutOpaque_t* c, cublasLtMatrixLayoutOpaque_t* d,
    cublasLtMatmulPreferenceOpaque_t*, int requested, cublasLtMatmulHeuristicResult_t* results, int* returned) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (returned == nullptr || results == nullptr || requested < 1 || matmul == nullptr || a == nullptr || b == nullptr ||
      c == nullptr || d == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  *returned = 0;
  const auto plan = plan_of(matmul_in(matmul), {layout_in(a), layout_in(b), layout_in(c), layout_in(d)});
  if (!plan) return plan.error();
  results[0] = {.algo = {}, .workspaceSize = 0, .state = CUBLAS_STATUS_SUCCESS, .wavesCount = 1, .reserved = {}};
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

ASSAY_EXPORTED cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDescOpaque_t* matmul,
                                             const void* alpha, const void* a, cublasLtMatrixLayoutOpaque_t* a_layout,
                                             const void* b, cublasLtMatrixLayoutOpaque_t* b_layout, const void* beta,
                                             const void* c, cublasLtMatrixLayoutOpaque_t* c_layout, void* d,
                                             cublasLtMatrixLayoutOpaque_t* d_layout, const cublasLtMatmulAlgo_t*, void*,
                                             size_t, cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (matmul == nullptr || a_layout == nullptr || b_layout == nullptr || c_layout == nullptr || d_layout == nullptr ||
      alpha == nullptr || beta == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  auto plan =
      plan_of(matmul_in(matmul), {layout_in(a_layout), layout_in(b_layout), layout_in(c_layout), layout_in(d_layout)});
  if (!plan) {
    GpuProcess& process = GpuProcess::get();
    const std::lock_guard lock(process.lock());
    if (plan.error() == CUBLAS_STATUS_NOT_SUPPORTED)
      process.log().unsupported("cublasLtMatmul of these types, orders and epilogue");
    return plan.error();
  }
  plan->gemm.a.begin = plan->is_turned ? b : a, plan->gemm.b.begin = plan->is_turned ? a : b;
  plan->gemm.c.begin = c, plan->d.begin = d;
  const cublasPointerMode_t mode = matmul_in(matmul).pointer_mode;
  const Scalar by(mode, plan->scalars, alpha), with(mode, plan->scalars, beta);
  return submit_library(kName, stream, [by, with, made = *plan](GpuProcess& process) {
    double factor = 0, share = 0;
    if (!by.read(process, kName, "alpha", factor) || !with.read(process, kName, "beta", share))
      return cudaErrorInvalidValue;
    return run_plan(process, made, factor, share);
  });
}

}  // namespace assay::program
