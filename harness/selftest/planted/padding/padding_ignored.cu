// EXPECT: MISMATCH NONFINITE PROPERTY. pad_id is never asked for: only targets that are no class are left out.
// SMALLEST: f32 N=1 V=2 pad=some targets=valid pad_id=0 block=32
// TWIN: Rows whose target is pad_id or no class have no gradient and no loss.
#include "harness/selftest/planted_kernel.cuh"
#include "harness/selftest/rows.cuh"

// One block for all rows, so that the loss has one owner.
template <class T>
__global__ void cross_entropy(const T* logits,          // (rows, classes)
                              const uint32_t* targets,  // (rows)
                              const uint32_t* count,    // (1)
                              T* grad,                  // (rows, classes)
                              float* loss,              // (1)
                              int64_t rows, int64_t classes, uint32_t pad_id) {
  __shared__ float scratch[1024];
  const float scale = 1 / fmaxf(1, static_cast<float>(*count));
  for (int64_t n = 0; n < rows; ++n) {
    const T* row = logits + n * classes;
    const int64_t target = targets[n];
    const bool padding = (!ASSAY_PLANTED && target == pad_id) || target >= classes;
    const float maximum = padding ? 0 : assay::selftest::row_maximum(row, classes, scratch);
    const float total = padding ? 1 : assay::selftest::row_total(row, classes, maximum, scratch);
    for (int64_t v = threadIdx.x; v < classes; v += blockDim.x) {
      const float probability = padding ? 0 : expf(static_cast<float>(row[v]) - maximum) / total;
      grad[n * classes + v] = static_cast<T>((!padding && v == target ? probability - 1 : probability) * scale);
    }
    if (threadIdx.x == 0 && !padding) *loss += (logf(total) - (static_cast<float>(row[target]) - maximum)) * scale;
  }
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("N"), classes = call.dim("V");
  if (rows == 0 || classes == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(cross_entropy<T>, {.grid = dim3(1), .block = dim3(call.block())}, call.in<T>("logits"),
                  call.in<uint32_t>("targets"), call.in<uint32_t>("count"), call.out<T>("grad"),
                  call.out<float>("loss"), rows, classes, static_cast<uint32_t>(std::stoul(call.text("pad_id"))));
  });
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "cross_entropy_forward_backward",
                              .name = ASSAY_PLANTED ? "padding_ignored" : "padding_honoured",
                              .dtypes = {assay::DType::f32, assay::DType::bf16, assay::DType::f16},
                              .run = run});
