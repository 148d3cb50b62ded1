// EXPECT: OUT_OF_BOUNDS. Where an element goes is an int, and negative from 2^31 elements on.
// SMALLEST: block=32
// SUITE: huge
// TWIN: It has 64 bits.
#include "harness/selftest/planted_kernel.cuh"

using Index = std::conditional_t<ASSAY_PLANTED, int, int64_t>;

// in: (rows, cols)  out: (cols, rows)
__global__ void transpose(const float* in, float* out, int64_t rows, int64_t cols) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  const Index target = static_cast<Index>(i % cols * rows + i / cols);
  out[target] = in[i];
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), cols = call.dim("cols");
  if (rows == 0 || cols == 0) return;
  assay::launch(transpose, assay::device::thread_for_each(call, rows * cols), call.in<float>("in"),
                call.out<float>("out"), rows, cols);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "transpose_2d", .name = ASSAY_PLANTED ? "target_is_int" : "target_is_long", .run = run});
