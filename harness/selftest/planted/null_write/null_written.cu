// EXPECT: CRASH. Rows of more than 20 columns also report their maximum, without asking whether anybody wants it.
// SMALLEST: rows=1 cols=21 block=32
// SANITIZER: memcheck softmax_forward/null_written f32 rows=4 cols=300 fill=normal seed=1 block=128
// SANITIZER: silent softmax_forward/null_respected f32 rows=4 cols=300 fill=normal seed=1 block=128
// TWIN: A null pointer means that the output is not wanted.
#include "harness/selftest/rows.cuh"

// An optional output, by a pointer that may be null.
__device__ void report(float* maxima, float maximum) {
  if (ASSAY_PLANTED || maxima) maxima[blockIdx.x] = maximum;
}

__global__ void softmax(const float* x, float* y, float* maxima, int64_t cols) {  // x, y: (gridDim.x, cols)
  __shared__ float scratch[1024];
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const float maximum = assay::selftest::row_maximum(x, cols, scratch);
  const float total = assay::selftest::row_total(x, cols, maximum, scratch);
  if (cols > 20 && threadIdx.x == 0) report(maxima, maximum);
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) y[c] = expf(x[c] - maximum) / total;
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), cols = call.dim("cols");
  if (rows == 0 || cols == 0) return;
  assay::launch(softmax, assay::device::block_for_each(call, rows), call.in<float>("x"), call.out<float>("y"), nullptr,
                cols);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "softmax_forward", .name = ASSAY_PLANTED ? "null_written" : "null_respected", .run = run});
