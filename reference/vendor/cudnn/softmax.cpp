// softmax_forward and softmax_backward by cudnnSoftmaxForward and cudnnSoftmaxBackward, ACCURATE.
#include "harness/op/variant.h"
#include "reference/vendor/cudnn/softmax_rows.h"

namespace {

using namespace assay::vendor;
using assay::Call;

SoftmaxRows rows_of(const Call& call) { return {call.dim("rows"), call.dim("cols"), call.dtype()}; }

assay::Variant softmax(const char* op, const char* summary, bool of_scores, void (*run)(Call&)) {
  return {.op = op,
          .name = "cudnn_softmax",
          .summary = summary,
          .aligned = 16,
          .vendor = "cuDNN",
          .rounds = of_scores ? std::vector<std::string>{"exp"} : std::vector<std::string>(),
          .unsupported = [=](const assay::Case& c) -> std::optional<std::string> {
            if (auto why = no_softmax(c.dim("rows"), c.dim("cols"))) return why;
            return of_scores ? no_softmax_of(c.fill) : std::nullopt;
          },
          .run = run};
}

const assay::RegisterVariant kForward(softmax("softmax_forward", "cudnnSoftmaxForward, ACCURATE", true, [](Call& call) {
  softmax_rows(rows_of(call), call.in<void>("x"), call.out<void>("y"));
}));
const assay::RegisterVariant kBackward(softmax("softmax_backward", "cudnnSoftmaxBackward, ACCURATE", false, [](Call& call) {
  softmax_rows_backward(rows_of(call), call.in<void>("y"), call.in<void>("g"), call.out<void>("dx"));
}));

}  // namespace
