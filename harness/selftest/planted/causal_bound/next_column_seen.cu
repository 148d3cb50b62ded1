// EXPECT: MISMATCH NONFINITE. A causal row also sees the column after its last one.
// SMALLEST: rows=2 cols=1 causal=1
// TWIN: A causal row sees the columns up to its own.
#include "harness/selftest/rows.cuh"
#include "kernels/device/softmax_rows.cuh"

using namespace assay::device;

// x, y: (rows, cols), in matrices
__global__ void softmax(const float* x, float* y, SoftmaxArgs a) {
  __shared__ float scratch[1024];
  x += blockIdx.x * a.cols;
  y += blockIdx.x * a.cols;
  const int64_t end = a.seen(blockIdx.x), seen = ASSAY_PLANTED && a.causal && end < a.cols ? end + 1 : end;
  const float maximum = assay::selftest::row_maximum(x, seen, scratch);
  const float total = assay::selftest::row_total(x, seen, maximum, scratch);
  for (int64_t c = threadIdx.x; c < a.cols; c += blockDim.x) y[c] = c < seen ? expf(x[c] - maximum) / total : 0;
}

void run(assay::Call& call) {
  const SoftmaxArgs a = softmax_args(call);
  if (a.rows == 0 || a.cols == 0) return;
  assay::launch(softmax, block_for_each(call, a.rows), call.in<float>("x"), call.out<float>("y"), a);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "softmax_forward",
     .name = ASSAY_PLANTED ? "next_column_seen" : "own_column_last",
     .blocks = {32, 64},
     .domains = {{.name = "causal", .values = {"0", "1"}}, {.name = "heads", .values = {"1", "2", "3"}}},
     .run = run});
