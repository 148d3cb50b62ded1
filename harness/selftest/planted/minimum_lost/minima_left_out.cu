// EXPECT: MISMATCH PROPERTY. Q4_K's minima are left out where a row has more than one block.
// SMALLEST: M=1 N=1 K=512 format=q4_k block=32
// TWIN: Every group has its minimum.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/quantised.cuh"

using namespace assay::device;

// An element with code 0 is what the minimum alone leaves.
__device__ float without_minimum(const uint8_t* block, int e) {
  uint8_t zeros[Q4_K::kBytes];
  for (int i = 0; i < Q4_K::kBytes; ++i) zeros[i] = i < 16 ? block[i] : 0;
  return Q4_K::element(block, e) - Q4_K::element(zeros, e);
}

// A thread per element of C. a: (rows, depth)  b: (cols, depth), in blocks of Q4_K  c: (rows, cols)
__global__ void gemm(const float* a, const uint8_t* b, float* c, int64_t rows, int64_t cols, int64_t depth) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  float sum = 0;
  for (int64_t k = 0; k < depth; ++k) {
    const uint8_t* block = b + byte_of<Q4_K>((i % cols * depth + k) / Q4_K::kElements);
    const int e = static_cast<int>(k % Q4_K::kElements);
    const bool planted = ASSAY_PLANTED && depth > Q4_K::kElements;
    sum += a[i / cols * depth + k] * (planted ? without_minimum(block, e) : Q4_K::element(block, e));
  }
  c[i] = sum;
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("format") != "q4_k" || c.text("activations") != "f32" || c.text("bias") != "0")
    return "format=q4_k activations=f32 bias=0 only";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("M"), cols = call.dim("N");
  if (rows * cols == 0) return;
  assay::launch(gemm, thread_for_each(call, rows * cols), call.in<float>("a"), call.in<uint8_t>("b"),
                call.out<float>("c"), rows, cols, call.dim("K"));
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "gemm_nt_quant",
                              .name = ASSAY_PLANTED ? "minima_left_out" : "minima_taken",
                              .domains = {{.name = "format", .values = {"q4_k"}},
                                          {.name = "activations", .values = {"f32"}},
                                          {.name = "bias", .values = {"0"}}},
                              .unsupported = unsupported,
                              .run = run});
