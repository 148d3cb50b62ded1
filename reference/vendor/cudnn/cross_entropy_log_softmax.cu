// cross_entropy_forward_backward by cudnnSoftmaxForward, LOG, and kernels of ours for the loss and the gradient.
//
// The log-softmax is computed in f32, since bf16 and f16 have too few bits for the logarithm of a probability: logits
// of those dtypes are widened first. Costs a workspace of one or two f32 for every logit.
#include "harness/op/variant.h"
#include "reference/vendor/cudnn/softmax_rows.h"
#include "reference/vendor/workspace.h"

namespace {

using namespace assay::vendor;

constexpr unsigned kBlock = 256, kLossBlock = 1024;

template <class T>
__global__ void widen(const T* logits, float* wide, int64_t count) {
  const int64_t stride = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += stride)
    wide[i] = static_cast<float>(logits[i]);
}

__device__ bool counts(uint32_t target, uint32_t pad_id, int64_t classes) {
  return target != pad_id && target < classes;
}

// A block per row. grad = (p - [its target]) / count, 0 where the row does not count.
template <class T>
__global__ void write_gradient(const float* log_p,  // (rows, classes)
                               const uint32_t* targets, const uint32_t* count,
                               T* grad,  // (rows, classes)
                               int64_t classes, uint32_t pad_id) {
  const int64_t row = blockIdx.x * classes;
  const uint32_t target = targets[blockIdx.x];
  const bool counted = counts(target, pad_id, classes);
  const float scale = 1.f / static_cast<float>(*count);
  for (int64_t v = threadIdx.x; v < classes; v += blockDim.x)
    grad[row + v] = static_cast<T>(counted ? (expf(log_p[row + v]) - (v == target ? 1.f : 0.f)) * scale : 0.f);
}

// One block. loss -= sum of the targets' log_p / count, in an order that does not change.
__global__ void add_loss(const float* log_p, const uint32_t* targets, const uint32_t* count, float* loss, int64_t rows,
                         int64_t classes, uint32_t pad_id) {
  __shared__ float sums[kLossBlock];
  float sum = 0;
  for (int64_t n = threadIdx.x; n < rows; n += kLossBlock)
    if (counts(targets[n], pad_id, classes)) sum -= log_p[n * classes + targets[n]] / static_cast<float>(*count);
  sums[threadIdx.x] = sum;
  for (unsigned half = kLossBlock / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *loss += sums[0];
}

int64_t log_p_bytes(const assay::Case& c) {
  return align_workspace(c.dim("N") * c.dim("V") * static_cast<int64_t>(sizeof(float)));
}
int64_t workspace_bytes(const assay::Case& c) { return log_p_bytes(c) * (c.dtype == assay::DType::f32 ? 1 : 2); }

void run(assay::Call& call) {
  const int64_t rows = call.dim("N"), classes = call.dim("V"), count = rows * classes;
  if (count == 0) return;
  const auto pad_id = static_cast<uint32_t>(std::stoull(call.text("pad_id")));
  auto* log_p = call.workspace<float>();
  assay::by_dtype(call, [&]<class T>() {
    const void* logits = call.in<void>("logits");
    if constexpr (!std::is_same_v<T, float>) {
      float* wide = log_p + log_p_bytes(call.c()) / static_cast<int64_t>(sizeof(float));
      constexpr unsigned kGridMax = 1 << 16;
      assay::launch(widen<T>, {.grid = dim3(std::min(kGridMax, assay::ceil_div(count, kBlock))), .block = dim3(kBlock)},
                    call.in<T>("logits"), wide, count);
      logits = wide;
    }
    softmax_rows({rows, classes}, logits, log_p, /*log=*/true);
    assay::launch(write_gradient<T>, {.grid = dim3(static_cast<unsigned>(rows)), .block = dim3(kBlock)}, log_p,
                  call.in<uint32_t>("targets"), call.in<uint32_t>("count"), call.out<T>("grad"), classes, pad_id);
  });
  assay::launch(add_loss, {.grid = dim3(1), .block = dim3(kLossBlock)}, log_p, call.in<uint32_t>("targets"),
                call.in<uint32_t>("count"), call.out<float>("loss"), rows, classes, pad_id);
}

const assay::RegisterVariant kVariant(
    {.op = "cross_entropy_forward_backward",
     .name = "cudnn_log_softmax",
     .summary = "cudnnSoftmaxForward, LOG, in f32, then kernels of ours for the loss and the gradient",
     .aligned = 16,
     .vendor = "cuDNN",
     .domains = {{.name = "counted", .values = {"call", "batch"}},
                 {.name = "alias", .values = {"none", "grad:logits"}}},
     .unsupported =
         [](const assay::Case& c) {
           auto why = no_softmax(c.dim("N"), c.dim("V"));
           return why ? why : no_softmax_of(c.fill);
         },
     .workspace_bytes = workspace_bytes,
     .run = run});

}  // namespace
