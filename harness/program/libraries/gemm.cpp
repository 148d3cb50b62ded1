// One product and a batch of them, whatever form the call has.
#include "harness/program/libraries/gemm.h"

#include <algorithm>
#include <string>
#include <vector>

#include "harness/base/parallel.h"

namespace assay::program {
namespace {

constexpr double kSmallProduct = 1e7;  // of fewer multiplications a batch is divided among the cores, not each product

template <class Sum>
Sum converted(double scalar) {
  if constexpr (std::is_same_v<Sum, uint32_t>)
    return static_cast<uint32_t>(static_cast<int32_t>(scalar));
  else
    return static_cast<Sum>(scalar);
}

// Scales the sums and adds them to C.
template <class Sum>
void finish(const Gemm& gemm, const std::vector<Sum>& sums, Sum alpha, Sum beta) {
  with_type(gemm.c.type, [&](auto number) {
    using Each = decltype(number);
    auto* const c = static_cast<typename Each::Stored*>(const_cast<void*>(gemm.c.begin));
    for (int64_t j = 0; j < gemm.n; ++j)
      for (int64_t i = 0; i < gemm.m; ++i) {
        auto& to = c[i + j * gemm.c.ld];
        Sum value = sums.empty() ? Sum() : static_cast<Sum>(alpha * sums[static_cast<size_t>(i + j * gemm.m)]);
        if (beta != Sum()) value = static_cast<Sum>(value + beta * Each::template load<Sum>(to));
        to = Each::store(value);
      }
  });
}

template <class Sum>
void multiply_in(const Gemm& gemm, double alpha, double beta, Threads threads) {
  std::vector<Sum> sums;
  if (alpha != 0 && gemm.k > 0)
    sums = product_of<Sum>({gemm.a.begin, gemm.a.type, gemm.a.ld, gemm.transposes_a},
                           {gemm.b.begin, gemm.b.type, gemm.b.ld, gemm.transposes_b}, gemm.m, gemm.n, gemm.k, threads);
  finish(gemm, sums, converted<Sum>(alpha), converted<Sum>(beta));
}

Operand operand_of(const char* name, const GemmMatrix& matrix, int64_t rows, int64_t columns, bool is_transposed,
                   int64_t batches) {
  return {
      name,      matrix.begin, bytes_of(matrix.type), is_transposed ? columns : rows, is_transposed ? rows : columns,
      matrix.ld, batches,      matrix.stride};
}

// A product with its operands looked at. False: it cannot be done.
bool can_do(GpuProcess& process, const char* name, const Gemm& gemm, double alpha, double beta) {
  const Operand c = operand_of("C", gemm.c, gemm.m, gemm.n, false, gemm.batches);
  if (alpha != 0 && gemm.k > 0 && gemm.m > 0 && gemm.n > 0 &&
      (!can_read(process, name, operand_of("A", gemm.a, gemm.m, gemm.k, gemm.transposes_a, gemm.batches)) ||
       !can_read(process, name, operand_of("B", gemm.b, gemm.k, gemm.n, gemm.transposes_b, gemm.batches))))
    return false;
  return (beta == 0 || can_read(process, name, c)) && can_write(process, name, c);
}

// The products of a batch one by one. False: the arrays of pointers cannot be read.
bool list_products(GpuProcess& process, const char* name, const Gemm& gemm, std::vector<Gemm>& products) {
  const GemmMatrix* const given[] = {&gemm.a, &gemm.b, &gemm.c};
  if (gemm.by_pointers)
    for (const GemmMatrix* const each : given)
      if (!can_read(process, name, vector_operand("an array of pointers", each->begin, sizeof(void*), gemm.batches, 1)))
        return false;
  for (int64_t i = 0; i < gemm.batches; ++i) {
    Gemm one = gemm;
    one.batches = 1, one.by_pointers = false;
    for (GemmMatrix* const each : {&one.a, &one.b, &one.c})
      each->begin = gemm.by_pointers ? static_cast<void* const*>(each->begin)[i]
                                     : static_cast<const std::byte*>(each->begin) +
                                           i * each->stride * static_cast<int64_t>(bytes_of(each->type));
    products.push_back(one);
  }
  return true;
}

void multiply_all(const std::vector<Gemm>& products, bool may_overlap, double alpha, double beta) {
  const Gemm& first = products.front();
  const double one = static_cast<double>(first.m) * static_cast<double>(first.n) * static_cast<double>(first.k);
  const auto count = static_cast<int64_t>(products.size());
  if (count > 1 && !may_overlap && one < kSmallProduct && one * static_cast<double>(count) > kSmallProduct / 10)
    return each_in_parallel(count,
                            [&](int64_t i) { multiply(products[static_cast<size_t>(i)], alpha, beta, Threads::one); });
  for (const Gemm& each : products) multiply(each, alpha, beta, Threads::all_cores);
}

cudaError_t run_gemm(GpuProcess& process, const char* name, const Gemm& gemm, double alpha, double beta) {
  std::vector<Gemm> products;
  if (!gemm.by_pointers && !can_do(process, name, gemm, alpha, beta)) return cudaErrorInvalidValue;
  if (!list_products(process, name, gemm, products)) return cudaErrorInvalidValue;
  if (gemm.by_pointers)
    for (const Gemm& each : products)
      if (!can_do(process, name, each, alpha, beta)) return cudaErrorInvalidValue;
  uint64_t hash = hash_of(products.data(), products.size() * sizeof products[0], 0);
  for (const double each : {alpha, beta}) hash = hash_of(&each, sizeof each, hash);
  const std::string key = name + std::to_string(hash);
  const bool may_overlap = gemm.by_pointers || gemm.c.stride < (gemm.n - 1) * gemm.c.ld + gemm.m;
  process.run_library(key, [&] { multiply_all(products, may_overlap, alpha, beta); });
  for (const Gemm& each : products) wrote(operand_of("C", each.c, gemm.m, gemm.n, false, 1));
  return cudaSuccess;
}

bool is_valid(const Gemm& gemm) {
  const auto at_least = [](int64_t ld, int64_t rows) { return ld >= std::max<int64_t>(rows, 1); };
  return gemm.m >= 0 && gemm.n >= 0 && gemm.k >= 0 && gemm.batches >= 0 &&
         at_least(gemm.a.ld, gemm.transposes_a ? gemm.k : gemm.m) &&
         at_least(gemm.b.ld, gemm.transposes_b ? gemm.n : gemm.k) && at_least(gemm.c.ld, gemm.m);
}

// Integers of 8 bits are multiplied four at once.
bool is_aligned(const Gemm& gemm) {
  const auto is_multiple = [](auto value) { return value % 4 == 0; };
  return gemm.sums != Number::i32 || (is_multiple(gemm.a.ld) && is_multiple(gemm.b.ld) &&
                                      (gemm.by_pointers || (is_multiple(reinterpret_cast<uintptr_t>(gemm.a.begin)) &&
                                                            is_multiple(reinterpret_cast<uintptr_t>(gemm.b.begin)))));
}

}  // namespace

std::optional<GemmTypes> gemm_types(cublasComputeType_t compute, Number a, Number b, Number c) {
  const bool is_plain = a == b && b == c;
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      if (is_plain && a == Number::f16) return GemmTypes{Number::f32, Number::f16};
      break;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
      if (a == b && ((is_plain && (a == Number::f16 || a == Number::bf16 || a == Number::f32)) ||
                     (c == Number::f32 && (a == Number::f16 || a == Number::bf16 || a == Number::i8))))
        return GemmTypes{Number::f32, Number::f32};
      break;
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
      if (is_plain && a == Number::f32) return GemmTypes{Number::f32, Number::f32};
      break;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      if (is_plain && a == Number::f64) return GemmTypes{Number::f64, Number::f64};
      break;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      if (a == Number::i8 && b == Number::i8 && c == Number::i32) return GemmTypes{Number::i32, Number::i32};
      break;
  }
  return std::nullopt;
}

void multiply(const Gemm& gemm, double alpha, double beta, Threads threads) {
  if (gemm.sums == Number::f64) return multiply_in<double>(gemm, alpha, beta, threads);
  if (gemm.sums == Number::i32) return multiply_in<uint32_t>(gemm, alpha, beta, threads);
  multiply_in<float>(gemm, alpha, beta, threads);
}

cublasStatus_t gemm(cublasHandle_t handle, const char* name, const Gemm& gemm, Number scalars, const void* alpha,
                    const void* beta) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || beta == nullptr || !is_valid(gemm)) return CUBLAS_STATUS_INVALID_VALUE;
  if (gemm.m == 0 || gemm.n == 0 || gemm.batches == 0) return CUBLAS_STATUS_SUCCESS;
  if (!is_aligned(gemm)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const Scalar by(handle->pointer_mode, scalars, alpha), with(handle->pointer_mode, scalars, beta);
  return submit_library(name, handle->stream, [=](GpuProcess& process) {
    double factor = 0, share = 0;
    if (!by.read(process, name, "alpha", factor) || !with.read(process, name, "beta", share))
      return cudaErrorInvalidValue;
    return run_gemm(process, name, gemm, factor, share);
  });
}

}  // namespace assay::program
