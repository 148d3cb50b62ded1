// softmax_forward and softmax_backward by cudnnSoftmaxForward and cudnnSoftmaxBackward, ACCURATE: the maximum is taken
// off first.
#include "harness/op/variant.h"
#include "reference/vendor/cudnn/handle.h"
#include "reference/vendor/plan_cache.h"

namespace {

using namespace assay::vendor;

std::optional<std::string> unsupported(const assay::Case& c) {
  if (auto why = too_many_elements(c.dim("rows"), c.dim("cols"))) return why;
  return why_missing(cudnn());
}

// Calls use(handle, descriptor of all its matrices) for a case that has elements.
template <class Use>
void with_rows(const assay::Call& call, PlanCache<TensorDescriptor>& plans, Use use) {
  const int64_t rows = call.dim("rows"), cols = call.dim("cols");
  if (rows == 0 || cols == 0) return;
  const auto handle = cudnn_handle();
  if (!handle) return assay::note_refused_launch(handle.error().line());
  const auto* shape = plans.get(call.c(), [&] { return describe_rows(call.dtype(), rows, cols); });
  if (shape) use(*handle, shape->get());
}

constexpr float kOne = 1, kZero = 0;

void forward(assay::Call& call) {
  static auto& plans = *new PlanCache<TensorDescriptor>;
  with_rows(call, plans, [&](cudnnHandle_t handle, cudnnTensorDescriptor_t shape) {
    const auto softmax = cudnn().function<decltype(&cudnnSoftmaxForward)>("cudnnSoftmaxForward");
    note_if_refused("cudnnSoftmaxForward", softmax(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &kOne,
                                                   shape, call.in<void>("x"), &kZero, shape, call.out<void>("y")));
  });
}

void backward(assay::Call& call) {
  static auto& plans = *new PlanCache<TensorDescriptor>;
  with_rows(call, plans, [&](cudnnHandle_t handle, cudnnTensorDescriptor_t shape) {
    const auto softmax = cudnn().function<decltype(&cudnnSoftmaxBackward)>("cudnnSoftmaxBackward");
    note_if_refused("cudnnSoftmaxBackward",
                    softmax(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &kOne, shape,
                            call.in<void>("y"), shape, call.in<void>("g"), &kZero, shape, call.out<void>("dx")));
  });
}

const assay::RegisterVariant kForward({.op = "softmax_forward",
                                       .name = "cudnn_softmax",
                                       .summary = "cudnnSoftmaxForward, ACCURATE",
                                       .aligned = 16,
                                       .vendor = "cuDNN",
                                       .unsupported = unsupported,
                                       .run = forward});
const assay::RegisterVariant kBackward({.op = "softmax_backward",
                                        .name = "cudnn_softmax",
                                        .summary = "cudnnSoftmaxBackward, ACCURATE",
                                        .aligned = 16,
                                        .vendor = "cuDNN",
                                        .unsupported = unsupported,
                                        .run = backward});

}  // namespace
