// softmax_forward and softmax_backward by cudnnSoftmaxForward and cudnnSoftmaxBackward, ACCURATE.
#include "harness/op/variant.h"
#include "reference/vendor/cudnn/softmax_rows.h"

namespace {

using namespace assay::vendor;
using assay::Call;

SoftmaxRows rows_of(const Call& call) { return {call.dim("rows"), call.dim("cols"), call.dtype()}; }

assay::Variant softmax(const char* op, const char* summary, void (*run)(Call&)) {
  return {.op = op,
          .name = "cudnn_softmax",
          .summary = summary,
          .aligned = 16,
          .vendor = "cuDNN",
          .unsupported = [](const assay::Case& c) { return no_softmax(c.dim("rows"), c.dim("cols")); },
          .run = run};
}

const assay::RegisterVariant kForward(softmax("softmax_forward", "cudnnSoftmaxForward, ACCURATE", [](Call& call) {
  softmax_rows(rows_of(call), call.in<void>("x"), call.out<void>("y"));
}));
const assay::RegisterVariant kBackward(softmax("softmax_backward", "cudnnSoftmaxBackward, ACCURATE", [](Call& call) {
  softmax_rows_backward(rows_of(call), call.in<void>("y"), call.in<void>("g"), call.out<void>("dx"));
}));

}  // namespace
