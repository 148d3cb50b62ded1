// EXPECT: NONFINITE MISMATCH PROPERTY. The loss is the logarithm of a sum of exponentials of the logits themselves.
// SMALLEST: N=1 block=32
// BUGS: 2 because gradients and the loss show it
// TWIN: The row's maximum is taken from its logits first.
#include "harness/selftest/planted_kernel.cuh"
#include "harness/selftest/rows.cuh"

// One block for all rows, so that the loss has one owner.
__global__ void cross_entropy(const float* logits,      // (rows, classes)
                              const uint32_t* targets,  // (rows)
                              const uint32_t* count,    // (1)
                              float* grad,              // (rows, classes)
                              float* loss,              // (1)
                              int64_t rows, int64_t classes, uint32_t pad_id) {
  __shared__ float scratch[1024];
  const float scale = 1 / fmaxf(1, static_cast<float>(*count));
  for (int64_t n = 0; n < rows; ++n) {
    const float* row = logits + n * classes;
    const int64_t target = targets[n];
    const bool padding = target == pad_id || target >= classes;
    const float maximum = padding || ASSAY_PLANTED ? 0 : assay::selftest::row_maximum(row, classes, scratch);
    const float total = padding ? 1 : assay::selftest::row_total(row, classes, maximum, scratch);
    for (int64_t v = threadIdx.x; v < classes; v += blockDim.x) {
      const float probability = padding ? 0 : expf(row[v] - maximum) / total;
      grad[n * classes + v] = (!padding && v == target ? probability - 1 : probability) * scale;
    }
    if (threadIdx.x == 0 && !padding) *loss += (logf(total) - (row[target] - maximum)) * scale;
  }
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("N"), classes = call.dim("V");
  if (rows == 0 || classes == 0) return;
  assay::launch(cross_entropy, {.grid = dim3(1), .block = dim3(call.block())}, call.in<float>("logits"),
                call.in<uint32_t>("targets"), call.in<uint32_t>("count"), call.out<float>("grad"),
                call.out<float>("loss"), rows, classes, static_cast<uint32_t>(std::stoul(call.text("pad_id"))));
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "cross_entropy_forward_backward",
                              .name = ASSAY_PLANTED ? "loss_without_maximum" : "loss_with_maximum",
                              .run = run});
